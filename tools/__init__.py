"""Development tools: fetch fixtures, pack encodings, make golden files and Unicode tables. Standard library only."""
