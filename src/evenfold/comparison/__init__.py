"""What a question becomes: wires the packages design → run → infer → verdict → report."""
