"""``evenfold board`` and ``evenfold keep``."""
