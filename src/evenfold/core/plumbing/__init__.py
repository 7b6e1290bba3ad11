"""Pipes that nobody looks at: registries, lazy loading, the cache folder, docstrings put together."""
