"""What in a text could deceive a reader, a filter or a model. Loads on first use: counting needs none of it."""

from piecework._safety.lookalikes import Lookalike, find_lookalikes

__all__ = ["Lookalike", "find_lookalikes"]
