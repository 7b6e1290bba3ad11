"""Run every ``bench_*.py``, or those that are named: ``python -m benchmarks [design ...]``."""

import sys
from importlib import import_module
from pathlib import Path


def main(names: list[str]) -> int:
    """Call ``main()`` of each benchmark; an unknown name is an error that lists the known ones."""
    known = sorted(
        path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")
    )
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    for name in names or known:
        import_module(f"benchmarks.bench_{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
