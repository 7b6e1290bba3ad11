"""
Whatever can decide a prediction is in the key.

What is written around the code, and what lies below it.
"""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from sklearn.linear_model import Ridge
from sklearn.metrics import fbeta_score, make_scorer, precision_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.run.algorithms import check_algorithms
from evenfold.run.data import check_data
from evenfold.run.fingerprints import Unhashable, fingerprint
from evenfold.run.records.stored import series_keys

pytestmark = pytest.mark.faults

RNG = np.random.default_rng(0)
y = np.tile([0, 1, 1], 27)[:80]
X = RNG.normal(size=(80, 3)) + y[:, None]
TWO = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
HALVES = ef.Mx2BCV(2, random_state=0).partition(80)


def made(source: str, name: str = "f") -> Any:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(source, namespace)
    return namespace[name]


FIRST = "from reprlib import recursive_repr\nfrom dataclasses import dataclass\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("class f:\n __k__ = 1", "class f:\n __k__ = 2"),
        ("class f:\n 'say yes'", "class f:\n 'say no'"),
        ("class f:\n a: int", "class f:\n a: float"),
        ("class f:\n a: 'int'", "class f:\n a: 'float'"),
        ("class f:\n a: list[int]", "class f:\n a: list[float]"),
        ("class f:\n a: int | None", "class f:\n a: float | None"),
        ("class f:\n def __repr__(self): return 'a'", "class f:\n def __repr__(self): return 'b'"),
        ("class f:\n __call__ = 1", "class f:\n __call__ = 2"),
        ("class f:\n __slots__ = ('a',)", "class f:\n __slots__ = ('b',)"),
        ("def f(x): 'say yes'", "def f(x): 'say no'"),
        ("def f(x): pass\nf.__doc__ = 'a'", "def f(x): pass\nf.__doc__ = 'b'"),
        ("def f(x: int): pass", "def f(x: float): pass"),
        ("def f(x) -> int: pass", "def f(x) -> float: pass"),
        (f"{FIRST}@dataclass\nclass f:\n a: int", f"{FIRST}@dataclass\nclass f:\n a: str"),
        (
            f"{FIRST}@dataclass\nclass f:\n a: int\n def __repr__(self): return 'a'",
            f"{FIRST}@dataclass\nclass f:\n a: int\n def __repr__(self): return 'b'",
        ),
        (
            "def f(x):\n import importlib\n return importlib.import_module('json')",
            "def f(x):\n import importlib\n return importlib.import_module('csv')",
        ),
    ],
)
def test_what_is_written_around_the_code_counts(one: str, other: str) -> None:
    assert fingerprint(made(one)) == fingerprint(made(one))
    assert fingerprint(made(one)) != fingerprint(made(other))


def test_annotations_without_content_are_no_hindrance() -> None:
    source = (
        "from typing import TypeVar, Any, Callable\nT = TypeVar('T')\nclass f:\n a: T\n b: "
        "Callable[..., Any]"
    )
    assert fingerprint(made(source)) == fingerprint(made(source))


def test_what_has_no_content_elsewhere_still_has_none() -> None:
    """A thing that stands in an annotation first is not taken as hashed."""
    source = "import threading\nlock = threading.Lock()\nclass f:\n a: lock\n b = lock"
    with pytest.raises(Unhashable, match="a lock"):
        fingerprint(made(source))


def says_a(self: Any) -> str:  # noqa: ARG001  (a method's signature)
    return "a"


def says_b(self: Any) -> str:  # noqa: ARG001  (a method's signature)
    return "b"


def test_methods_put_in_place_of_a_librarys_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(GaussianNB())
    found = {before}
    for method in (says_a, says_b):
        with monkeypatch.context() as patch:
            patch.setattr(GaussianNB, "__repr__", method, raising=False)
            found.add(fingerprint(GaussianNB()))
    assert len(found) == 3
    assert fingerprint(GaussianNB()) == before


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Writes a module of the caller's own, loaded again if it was."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(source: str) -> None:
        (tmp_path / "own_named.py").write_text(source)
        importlib.invalidate_caches()
        if "own_named" in sys.modules:
            importlib.reload(sys.modules["own_named"])

    yield write
    sys.modules.pop("own_named", None)


BY_NAME = [
    "import importlib\ndef f(a, b, c): return c[:, 0] * 0 + importlib.import_module('own_named').k",
    "from importlib import import_module\ndef f(a, b, c): return c[:, 0] * 0 + "
    "import_module('own_named').k",
    "def f(a, b, c): return c[:, 0] * 0 + __import__('own_named').k",
]


@pytest.mark.parametrize("source", BY_NAME)
def test_a_module_imported_by_its_name_counts_and_travels(
    own: Callable[[str], None], tmp_path: Path, source: str
) -> None:
    values = []
    for k in (0, 1111):
        own(f"k = {k}")
        f = made(source)
        done = ef.run.run(
            f,
            HALVES,
            X,
            y.astype(float),
            measures="absolute",
            seed=0,
            store=tmp_path / "s.db",
            n_jobs=2,
        )
        assert done.failures == ()
        values.append(done["absolute"].values)
    assert values[0].max() < 2 < 1000 < values[1].min()


def test_a_module_that_only_the_function_can_name_has_no_key() -> None:
    source = "import importlib\ndef f(x): return importlib.import_module('own_' + x)"
    with pytest.raises(Unhashable, match="'f', which imports a module whose name it computes"):
        fingerprint(made(source))


@pytest.mark.parametrize("library", [np, scipy])
def test_versions_of_what_lies_below_count(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def key() -> list[bytes]:
        return series_keys(check_data(X, y), check_algorithms(Ridge()), seed=0, version=None)

    before = key()
    monkeypatch.setattr(library, "__version__", "0.0")
    assert key() != before


SCORERS = [
    [make_scorer(fbeta_score, beta=0.5), make_scorer(fbeta_score, beta=2.0)],
    [make_scorer(precision_score, pos_label=0), make_scorer(precision_score, pos_label=1)],
    [ef.run.f_beta(0.5).about(name="f1"), ef.run.f_beta(2.0).about(name="f1")],
    [ef.run.f_beta(0.5), ef.run.f_beta(0.5000001)],
    [ef.run.cost([[0, 1], [1, 0]]), ef.run.cost([[0, 1.0000001], [1, 0]])],
]


@pytest.mark.parametrize("pair", SCORERS)
def test_values_from_a_store_are_those_without(tmp_path: Path, pair: list[Any]) -> None:
    for one in pair:
        kept = ef.run.run(TWO, HALVES, X, y, measures=one, seed=0, store=tmp_path / "s.db")
        fresh = ef.run.run(TWO, HALVES, X, y, measures=one, seed=0)
        found = [next(iter(done.values())).values for done in (kept, fresh)]
        np.testing.assert_array_equal(found[0], found[1])


def test_values_of_formulas_that_were_mended_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = importlib.import_module("evenfold.run.records.stored")
    monkeypatch.setattr(keys, "_FORMULAS", keys._FORMULAS - 1)
    with monkeypatch.context() as wrong:
        wrong.setattr(
            type(ef.run.measures()["zero-one"]), "evaluate", lambda *_: ef.run.Evaluated(9.0)
        )
        assert (
            ef.run.run(TWO, HALVES, X, y, seed=0, store=tmp_path / "s.db")["zero-one"].values.max()
            == 9
        )
    monkeypatch.undo()
    again = ef.run.run(TWO, HALVES, X, y, seed=0, store=tmp_path / "s.db")
    assert again.fits == 0
    assert again["zero-one"].values.max() < 1


NUMBA = "import numba\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("@numba.njit\ndef f(x): return x + 1", "@numba.njit\ndef f(x): return x + 2"),
        (
            "@numba.njit\ndef f(x): return x + 1",
            "@numba.njit(fastmath=True)\ndef f(x): return x + 1",
        ),
        (
            "@numba.njit\ndef g(x): return x\n@numba.njit\ndef f(x): return g(x)",
            "@numba.njit\ndef g(x): return -x\n@numba.njit\ndef f(x): return g(x)",
        ),
        (
            "@numba.njit('f8(f8)')\ndef f(x): return x + 1",
            "@numba.njit('f4(f4)')\ndef f(x): return x + 1",
        ),
        ("@numba.vectorize\ndef f(x): return x + 1", "@numba.vectorize\ndef f(x): return x + 2"),
        (
            "@numba.vectorize(['f8(f8)'])\ndef f(x): return x + 1",
            "@numba.vectorize(['f8(f8)'])\ndef f(x): return x + 2",
        ),
        (
            "@numba.guvectorize(['void(f8[:],f8[:])'], '(n)->(n)')\ndef f(x, y): y[:] = x",
            "@numba.guvectorize(['void(f8[:],f8[:])'], '(n)->(n)')\ndef f(x, y): y[:] = -x",
        ),
    ],
)
def test_compiled_functions_are_known_by_source_and_options(one: str, other: str) -> None:
    pytest.importorskip("numba")
    keys = [fingerprint(made(NUMBA + source)) for source in (one, one, other)]
    assert keys[0] == keys[1] != keys[2]


def test_a_compiled_function_is_found_again_after_it_ran() -> None:
    pytest.importorskip("numba")
    f = made(f"{NUMBA}@numba.njit\ndef f(x): return x + 1")
    before = fingerprint(f)
    f(1)
    f(1.0)
    assert fingerprint(f) == before
