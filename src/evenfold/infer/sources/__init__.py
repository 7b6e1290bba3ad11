"""Methods on data from several sources."""
