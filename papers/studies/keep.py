"""
What ``ef.keep`` errs and finds over loops of 200 proposals, by who saw what.

    python -m papers.studies.keep

Items are answered right or wrong. A proposal answers some items anew, each as its own true accuracy
has it, so the truth of every keep is known. A *false keep* is one that is truly no better than the
best it replaced. Decisions are one-sided tests of the right/wrong pairs, by the normal
approximation of Tango's score at a difference of 0, which is McNemar's z, with the levels that the
package gives; thousands of loops at once.
"""

import numpy as np
from scipy import special

from evenfold.infer.adjust import history_weight, lond_level, spending_weight

ITEMS, PROPOSALS, LOOPS, LEVEL = 1319, 200, 2000, 0.05
ACCURACY, ANEW = 0.7, 0.1  # 4.2 % of the answers differ


def levels(
    kind: str, j: int, seen: np.ndarray, kept: np.ndarray, horizon: int | None
) -> np.ndarray:
    """Return the level of the j-th proposal of every loop."""
    spent = LEVEL * spending_weight(j, horizon)
    if kind == "rate":
        return np.array([lond_level(j, int(k), LEVEL, horizon) for k in kept])
    if kind == "decisions":
        return spent * np.array(
            [history_weight(int(b), int(k)) for b, k in zip(seen, kept, strict=True)]
        )
    return np.full(len(kept), spent)


def loops(
    kind: str, *, horizon: int | None, gain: float = 0.0, share: float = 0.0, peek: bool = False
) -> dict[str, float]:
    """
    Run loops; a share of the proposals gains this much accuracy, all others nothing.

    With ``peek`` the proposer sees the answers and answers anew the items that are wrong, keeping
    each new answer that is right: on these items better, on others not.
    """
    rng = np.random.default_rng([PROPOSALS, len(kind), horizon or 0, int(1e4 * gain), peek])
    best = rng.random((LOOPS, ITEMS)) < ACCURACY
    truth = np.full(LOOPS, ACCURACY)
    kept = np.zeros(LOOPS, dtype=int)
    false = np.zeros(LOOPS, dtype=int)
    gains_kept = 0
    offered = 0
    for j in range(1, PROPOSALS + 1):
        better = rng.random(LOOPS) < share
        anew = rng.random((LOOPS, ITEMS)) < ANEW
        if peek:
            anew &= ~best
        drawn = rng.random((LOOPS, ITEMS)) < (truth + np.where(better, gain / ANEW, 0.0))[:, None]
        candidate = np.where(anew, drawn, best)
        fixed = (candidate & ~best).sum(axis=1)
        broke = (best & ~candidate).sum(axis=1)
        z = (fixed - broke) / np.sqrt(np.maximum(fixed + broke, 1))
        keep = special.ndtr(-z) <= levels(kind, j, np.full(LOOPS, j - 1), kept, horizon)
        gains_kept += int((keep & better).sum())
        offered += int(better.sum())
        false += keep & ~better
        kept += keep
        truth = truth + np.where(keep & better, gain, 0.0)
        best = np.where(keep[:, None], candidate, best)
    any_false = float((false > 0).mean())
    return {
        "any false keep": any_false,
        "± s.e.": float(np.sqrt(max(any_false * (1 - any_false), 1e-9) / LOOPS)),
        "share of keeps false": float((false / np.maximum(kept, 1)).mean()),
        "gains found": gains_kept / max(offered, 1),
    }


def main() -> None:
    """Print one row per case."""
    rows = [
        ("nothing shown, no gain, horizon 200", {"kind": "nothing", "horizon": 200}),
        ("nothing shown, no gain, for ever", {"kind": "nothing", "horizon": None}),
        ("decisions shown, no gain, horizon 200", {"kind": "decisions", "horizon": 200}),
        ("decisions shown, no gain, for ever", {"kind": "decisions", "horizon": None}),
        ("rate, no gain, horizon 200", {"kind": "rate", "horizon": 200}),
        (
            "nothing shown, 5 % gain 2 points, horizon 200",
            {"kind": "nothing", "horizon": 200, "gain": 0.02, "share": 0.05},
        ),
        (
            "decisions shown, 5 % gain 2 points, horizon 200",
            {"kind": "decisions", "horizon": 200, "gain": 0.02, "share": 0.05},
        ),
        (
            "rate, 5 % gain 2 points, horizon 200",
            {"kind": "rate", "horizon": 200, "gain": 0.02, "share": 0.05},
        ),
        (
            "answers shown and used, no gain, horizon 200",
            {"kind": "nothing", "horizon": 200, "peek": True},
        ),
    ]
    for name, how in rows:
        rates = loops(**how)  # type: ignore[arg-type]
        print(
            f"{name:50}",
            "  ".join(f"{key} {value:.4f}" for key, value in rates.items()),
            flush=True,
        )
    for errors in (3, 4, 5):
        each = [special.ndtr(errors - special.ndtri(1 - LEVEL * w)) for w in (1 / 200, 0.8 / 200)]
        print(
            f"power at {errors} standard errors: nothing shown {each[0]:.2f}, decisions "
            f"{each[1]:.2f}"
        )


if __name__ == "__main__":
    main()
