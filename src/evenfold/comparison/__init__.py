"""What a question becomes: wires the rooms, design → run → infer → verdict → report."""
