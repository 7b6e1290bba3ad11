"""Tables as they go into docs/papers."""


def head(title: str, *columns: str) -> None:
    """Begin a table under its own heading."""
    print(f"\n### {title}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")


def row(*cells: object) -> None:
    """Print one row at once, for slow tables."""
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)
