"""Messages to what the model reads: conversion, the model's own template, ids, and the origin of every token."""
