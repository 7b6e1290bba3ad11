"""Groups of algorithms that were not told apart."""

Groups = tuple[tuple[int, ...], ...]


def cliques(joined: list[set[int]]) -> list[tuple[int, ...]]:
    """Return the largest sets whose members are all joined (Bron and Kerbosch, with pivot)."""
    found: list[tuple[int, ...]] = []

    def grow(members: set[int], open_: set[int], closed: set[int]) -> None:
        if not open_ and not closed:
            found.append(tuple(sorted(members)))
            return
        pivot = max(open_ | closed, key=lambda v: len(joined[v] & open_))
        for v in sorted(open_ - joined[pivot]):
            grow(members | {v}, open_ & joined[v], closed & joined[v])
            open_, closed = open_ - {v}, closed | {v}

    grow(set(), set(range(len(joined))), set())
    return found
