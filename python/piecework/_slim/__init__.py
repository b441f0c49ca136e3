"""Cheaper forms of the same content: each written, parsed back, compared with the data, and only then offered.

One file is one form, or one way to read. Loads on first use: counting needs none of it.
"""

from piecework._slim.result import Form, Slimmed
from piecework._slim.slimming import slim

__all__ = ["Form", "Slimmed", "slim"]
