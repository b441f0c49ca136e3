"""The public functions that take a model's name: each resolves it to a tokenizer, a price or a limit, and calls a room below."""
