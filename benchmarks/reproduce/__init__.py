"""One script per source: what it printed, what evenfold finds, with its Monte Carlo error."""
