"""Where tokenizers come from: the bundled packs, and files in the formats of others."""
