"""Side by side with the peers: the same bytes, the same run, a fresh process for every figure."""
