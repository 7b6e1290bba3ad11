"""One file per command of ``evenfold``."""
