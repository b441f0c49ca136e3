"""Counts for models that run behind a server: documented framing, published picture rules, estimators, endpoints."""
