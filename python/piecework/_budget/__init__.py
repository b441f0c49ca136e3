"""Windows, what fits into them, and what to drop."""
