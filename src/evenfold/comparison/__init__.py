"""Turn a question into an answer, with the packages design, run, infer and report."""
