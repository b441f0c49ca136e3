"""What a trained tokenizer is worth: held-out text beside rivals, where it loses, what it holds."""
