"""Pipes that nobody looks at: lazy loading, the cache folder, docstrings put together."""
