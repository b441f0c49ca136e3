"""What a training will take, before it runs: a sample, what grows from it, and the needs that follow."""
