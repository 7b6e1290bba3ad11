"""The commands ``evenfold board``, ``evenfold keep``, ``evenfold floor`` and ``evenfold pr``."""
