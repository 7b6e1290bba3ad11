"""What one test set says that has clusters, or was met by several runs of each algorithm."""
