"""What embeddings and the KV cache take in memory."""
