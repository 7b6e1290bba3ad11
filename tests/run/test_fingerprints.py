"""The same content gives the same fingerprint, any other content another one."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from evenfold.run import fingerprints as module
from evenfold.run.fingerprints import Unhashable, fingerprint

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def same(a: Any, b: Any) -> bool:
    """Equal in value and in type, all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return repr(a) == repr(b)


@given(plain, plain)
def test_plain_values_by_value_and_type(a: Any, b: Any) -> None:
    assert (fingerprint(a) == fingerprint(b)) == same(a, b)


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass
class Point:
    x: float


def helper(x: float) -> float:
    return x + 1


def uses_helper(x: float) -> float:
    return helper(x) * math.pi


X = np.arange(6.0).reshape(3, 2)
DIFFERENT: list[Any] = [
    X,
    X.T,
    X.astype(np.float32),
    X.reshape(2, 3),
    X.astype(object),
    X[:0],
    np.float64(1.0),
    X.dtype,
    (1, 2),
    [1, 2],
    {1, 2},
    {1, 3},
    pd.DataFrame(X),
    pd.DataFrame(X, columns=["a", "b"]),
    pd.DataFrame({"a": ["x", "y"]}),
    pd.DataFrame({"a": ["x", "z"]}),
    pd.DataFrame({"a": pd.Categorical(["x", "z"])}),
    pd.Series([1.0, 2.0]),
    scipy.sparse.csr_matrix(X),
    scipy.sparse.csr_matrix(X[:, ::-1]),
    np.random.RandomState(0),
    np.random.RandomState(1),
    np.random.default_rng(0),
    np.random.default_rng(1),
    Ridge(),
    Ridge(alpha=2.0),
    make_pipeline(StandardScaler(), Ridge()),
    make_pipeline(StandardScaler(with_mean=False), Ridge()),
    make_pipeline(FunctionTransformer(np.log), Ridge()),
    make_pipeline(FunctionTransformer(np.exp), Ridge()),
    KFold(3),
    KFold(4),
    Colour.RED,
    Colour.BLUE,
    Point(1.0),
    Point(2.0),
    uses_helper,
    helper,
    partial(helper, 1),
    partial(helper, 2),
    len,
    Ridge().fit,
    lambda x: x + 1,
    lambda x: x + 2,
    lambda x, y=1: x + y,
    lambda x, y=2: x + y,
    ...,
]


def test_different_things_differ() -> None:
    assert len({fingerprint(thing) for thing in DIFFERENT}) == len(DIFFERENT)


def test_order_and_layout_do_not_matter() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({1, 2, 3}) == fingerprint({3, 2, 1})
    assert fingerprint(X.T) == fingerprint(np.ascontiguousarray(X.T))
    assert fingerprint(scipy.sparse.csc_matrix(X)) == fingerprint(scipy.sparse.csr_matrix(X))
    assert fingerprint(pd.DataFrame(X, index=[5, 6, 7])) == fingerprint(pd.DataFrame(X))


def made(source: str, name: str, **known: Any) -> Any:
    """Make something as a notebook would, in a module without a version."""
    namespace = {"__name__": "__main__", **known}
    exec(source, namespace)
    return namespace[name]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x): return g(x)\ndef g(x): return 1", "def f(x): return g(x)\ndef g(x): return 2"),
        ("k = 1\ndef f(x): return k", "k = 2\ndef f(x): return k"),
        ("def f(x): return [y + 1 for y in x]", "def f(x): return [y + 2 for y in x]"),
        ("class f:\n k = 1", "class f:\n k = 2"),
        ("class f:\n def g(self): return 1", "class f:\n def g(self): return 2"),
        ("class f:\n @property\n def g(self): return 1", "class f:\n @property\n def g(self): return 2"),
        ("class f:\n @staticmethod\n def g(): return 1", "class f:\n @staticmethod\n def g(): return 2"),
        ("class b:\n k = 1\nclass f(b): pass", "class b:\n k = 2\nclass f(b): pass"),
    ],
)
def test_the_callers_code_is_hashed_with_what_it_uses(one: str, other: str) -> None:
    assert fingerprint(made(one, "f")) == fingerprint(made(one, "f"))
    assert fingerprint(made(one, "f")) != fingerprint(made(other, "f"))


def test_code_that_calls_itself_comes_to_an_end() -> None:
    source = "def f(x): return g(x)\ndef g(x): return f(x)\nclass c:\n def __init__(self): self.me = self"
    assert fingerprint(made(source, "f"))
    assert fingerprint(made(source, "c")())
    assert fingerprint(made("class b: pass\nclass f(b):\n def g(self): return super().g()", "f"))


def closing() -> Callable[[], int]:
    state = 1
    return lambda: state


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (closing(), "'<lambda>', which closes over state"),
        (Path("data.csv"), "a PosixPath"),
        ((i for i in range(3)), "a generator"),
        (made("import functools\nf = functools.lru_cache(len)", "f"), "lru_cache"),
    ],
)
def test_what_has_no_content_is_unhashable(thing: Any, message: str) -> None:
    with pytest.raises(Unhashable, match=message):
        fingerprint(thing)


def test_the_version_of_a_library_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    import sklearn

    before = fingerprint(Ridge())
    monkeypatch.setattr(sklearn, "__version__", "0.0")
    assert fingerprint(Ridge()) != before


def test_where_versions_come_from() -> None:
    assert module._version("__main__") is None
    assert module._version("math") == module._version("json.decoder")
    assert module._version("_pytest") is not None
    assert module._version("a_module_of_my_own") is None
