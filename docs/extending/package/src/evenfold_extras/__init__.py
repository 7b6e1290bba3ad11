"""Five things that evenfold does not have, one file each."""
