"""What in a text could deceive a reader, a filter or a model."""
