"""The same content gives the same fingerprint, any other content another one."""

import importlib
import math
import random
import re
import sys
import threading
import time
import types
from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.special
import scipy.stats
import sklearn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.run.algorithms import check_algorithms
from evenfold.run.data import check_data
from evenfold.run.fingerprints import Unhashable, fingerprint
from evenfold.run.libraries import version
from evenfold.run.records.stored import series_keys

pytestmark = pytest.mark.faults

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
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
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


@dataclass
class Bundle:
    x: float

    def learn(self) -> "Bundle":
        self.learnt = self.x
        return self


def helper(x: float) -> float:
    return x + 1


def uses_helper(x: float) -> float:
    return helper(x) * math.pi


class Metres(np.ndarray):
    unit: str


def metres(values: Any, unit: str) -> Metres:
    array: Metres = values.view(Metres)
    array.unit = unit
    return array


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
    re.compile("a"),
    re.compile("a", re.IGNORECASE),
    re.compile("a").findall,
    re.compile("b").findall,
    {1: 2}.get,
    {1: 3}.get,
    str.lower,
    str.upper,
    Path("a"),
    Path("b"),
    slice(1, 2),
    slice(1, 3),
    Decimal(1),
    Decimal(2),
    itemgetter(1),
    itemgetter(2),
    np.mean,
    np.median,
    scipy.special.expit,
    defaultdict(int, a=1),
    defaultdict(float, a=1),
    np.ma.array([1, 2], mask=[False, True]),
    np.ma.array([1, 2], mask=[True, False]),
    np.array(["a"], dtype=np.dtypes.StringDType()),
    np.zeros(1, dtype=[("a", "i4"), ("b", "i4")]),
    np.zeros(1, dtype=[("a", "i4"), ("c", "i4")]),
    pd.DataFrame(X, index=[5, 6, 7]),
    pd.Series(["x", "y"], name="a"),
    pd.Series(pd.Categorical(["x"], ["x", "y"])),
    pd.Series(pd.Categorical(["x"], ["x", "z"])),
    pd.Series(pd.Categorical(["x"], ["x", "y"], ordered=True)),
    pd.Series([1, None], dtype="Int64"),
    pd.Series(["a", None], dtype="string"),
    pd.Series(pd.to_datetime(["2020", "2021"])),
    pd.Series(pd.to_datetime(["2020", "2021"]).tz_localize("UTC")),
    pd.Series(pd.to_datetime(["2020", "2022"]).tz_localize("UTC")),
    pd.Series(pd.DatetimeIndex(["3000-01-01"], dtype="datetime64[s, UTC]")),
    pd.Series([1.0], index=pd.MultiIndex.from_tuples([(1, 2)], names=["a", "b"])),
    pd.Series([1.0], index=pd.MultiIndex.from_tuples([(1, 2)], names=["a", "c"])),
    metres(X, "m"),
    metres(X, "km"),
    scipy.stats.loguniform(0.1, 1),
    scipy.stats.loguniform(0.2, 1),
    scipy.stats.rv_histogram(np.histogram([1, 2, 3])),
    scipy.stats.rv_histogram(np.histogram([1, 2, 4])),
]


def test_different_things_differ() -> None:
    assert len({fingerprint(thing) for thing in DIFFERENT}) == len(DIFFERENT)


def test_order_and_layout_do_not_matter() -> None:
    # a search tries them in order
    assert fingerprint({"a": 1, "b": 2}) != fingerprint({"b": 2, "a": 1})
    assert fingerprint({1, 2, 3}) == fingerprint({3, 2, 1})
    assert fingerprint(X.T) == fingerprint(np.ascontiguousarray(X.T))
    assert fingerprint(scipy.sparse.csc_matrix(X)) == fingerprint(scipy.sparse.csr_matrix(X))
    assert fingerprint(pd.DataFrame(X, index=[0, 1, 2])) == fingerprint(pd.DataFrame(X))


def made(source: str, name: str, **known: Any) -> Any:
    """Make something as a notebook would, in a module without a version."""
    namespace = {"__name__": "__main__", **known}
    exec(source, namespace)
    return namespace[name]


CACHED = "from functools import cached_property\nclass f:\n @cached_property\n def g(self):"
DATACLASS = "from dataclasses import dataclass, field\n@dataclass(frozen=True)\nclass f:\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x): return g(x)\ndef g(x): return 1", "def f(x): return g(x)\ndef g(x): return 2"),
        ("k = 1\ndef f(x): return k", "k = 2\ndef f(x): return k"),
        ("def f(x): return [y + 1 for y in x]", "def f(x): return [y + 2 for y in x]"),
        ("class f:\n k = 1", "class f:\n k = 2"),
        ("class f:\n def g(self): return 1", "class f:\n def g(self): return 2"),
        (
            "class f:\n @property\n def g(self): return 1",
            "class f:\n @property\n def g(self): return 2",
        ),
        (
            "class f:\n @staticmethod\n def g(): return 1",
            "class f:\n @staticmethod\n def g(): return 2",
        ),
        ("class b:\n k = 1\nclass f(b): pass", "class b:\n k = 2\nclass f(b): pass"),
        ("class f:\n k = {1}", "class f:\n k = {2}"),
        ("class f:\n k = len", "class f:\n k = max"),
        (
            "from sklearn.svm import SVC\nclass f:\n k = SVC(C=1)",
            "from sklearn.svm import SVC\nclass f:\n k = SVC(C=2)",
        ),
        (f"{CACHED} return 1", f"{CACHED} return 2"),
        ("def f(x):\n try: x()\n except OSError: x()", "def f(x):\n try: x()\n finally: x()"),
        (
            f"{DATACLASS} a: list = field(default_factory=list)",
            f"{DATACLASS} a: list = field(default_factory=set)",
        ),
    ],
)
def test_the_callers_code_is_hashed_with_what_it_uses(one: str, other: str) -> None:
    assert fingerprint(made(one, "f")) == fingerprint(made(one, "f"))
    assert fingerprint(made(one, "f")) != fingerprint(made(other, "f"))


def test_code_that_calls_itself_comes_to_an_end() -> None:
    source = (
        "def f(x): return g(x)\ndef g(x): return f(x)\nclass c:\n def __init__(self): "
        "self.me = self"
    )
    assert fingerprint(made(source, "f"))
    assert fingerprint(made(source, "c")())
    assert fingerprint(made("def f(x): return known\nknown = {f}", "f"))
    assert fingerprint(made("class b: pass\nclass f(b):\n def g(self): return super().g()", "f"))


def closing() -> Callable[[], int]:
    state = 1
    return lambda: state


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        (closing(), "'<lambda>', which closes over state"),
        (threading.Lock(), "a lock"),
        (made("class f:\n k = (i for i in 'ab')", "f"), "a generator"),
        (np.frompyfunc(len, 1, 1), "ufunc"),
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


def test_what_is_learnt_counts_unless_it_is_cloned_away() -> None:
    one, other = Ridge().fit(X, X[:, 0]), Ridge().fit(X, -X[:, 0])
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one, cloned=True) == fingerprint(other, cloned=True) == fingerprint(Ridge())
    in_pipeline = (make_pipeline(StandardScaler(), model) for model in (one, other))
    assert len({fingerprint(pipeline, cloned=True) for pipeline in in_pipeline}) == 1
    frozen = FrozenEstimator(one), FrozenEstimator(other)
    assert fingerprint(frozen[0], cloned=True) != fingerprint(frozen[1], cloned=True)
    assert fingerprint(Bundle(1.0)) != fingerprint(Bundle(1.0).learn())
    source = "def f(x): return model.predict(x)"
    assert fingerprint(made(source, "f", model=one)) != fingerprint(made(source, "f", model=other))


def test_a_transformer_of_ones_own_has_content() -> None:
    head = (
        "from sklearn.base import *\nclass f(TransformerMixin, BaseEstimator):\n def "
        "transform(self, X):"
    )
    one, other = (made(f"{head} return X * {k}", "f")() for k in (1, 2))
    assert fingerprint(one) != fingerprint(other)


def test_accidents_do_not_count() -> None:
    search = RandomizedSearchCV(Ridge(), {"alpha": scipy.stats.loguniform(0.1, 1)})
    before = fingerprint(search)
    drawing = fingerprint(random.random)
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    assert fingerprint(search) == before
    assert fingerprint(random.random) == drawing
    source = "def f(x): return x.mean()"
    assert fingerprint(made(source, "f", mean=1)) == fingerprint(made(source, "f", mean=2))


def write(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for name, source in files.items():
        (folder / f"{name}.py").write_text(source)
        if name in sys.modules:
            importlib.reload(sys.modules[name])


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Writes modules of the caller's own, and reloads those that are loaded."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield partial(write, tmp_path, monkeypatch)
    for name in set(sys.modules) - before:
        if name.startswith("own_"):
            del sys.modules[name]


@pytest.mark.parametrize(
    "use",
    ["import own_a\ndef f(x): return own_a.g(x)", "def f(x):\n import own_a\n return own_a.g(x)"],
)
def test_modules_of_ones_own_are_hashed_by_their_code(own: Callable[..., None], use: str) -> None:
    own(own_a="import own_b\ndef g(x): return own_b.h(x)", own_b="def h(x): return x")
    f = made(use, "f")
    first = fingerprint(f)
    own(own_b="def h(x): return x + 1")
    assert len({first, fingerprint(f), fingerprint(f)}) == 2
    sys.modules["own_a"].k = 1  # type: ignore[attr-defined]  # a module that is made up here
    assert len({first, fingerprint(f)}) == 2


def test_a_version_of_ones_own_is_not_trusted(own: Callable[..., None]) -> None:
    own(own_c="__version__ = '1'\ndef f(x): return x")
    c = importlib.import_module("own_c")
    first = fingerprint(c.f)
    own(own_c="__version__ = '1'\ndef f(x): return x + 1")
    assert fingerprint(c.f) != first


def test_workers_do_not_keep_code_that_was_reloaded(own: Callable[..., None]) -> None:
    y = np.arange(40) % 2
    partition = ef.Mx2BCV(1, random_state=0).partition(40)
    seen = []
    for k in (0, 1111):
        own(own_d=f"def f(X_train, y_train, X_test): return X_test[:, 0] * 0 + {k}")
        f = importlib.import_module("own_d").f
        seen.append(
            ef.run.run(f, partition, y[:, None], y, measures="absolute", n_jobs=2)[
                "absolute"
            ].values
        )
    assert seen[0].max() < 1 < 1000 < seen[1].min()


def test_workers_know_the_state_of_ones_own_modules(own: Callable[..., None]) -> None:
    y = np.arange(40) % 2
    partition = ef.Mx2BCV(1, random_state=0).partition(40)
    own(own_e="k = 0\ndef f(X_train, y_train, X_test): return X_test[:, 0] * 0 + k")
    e: Any = importlib.import_module("own_e")
    use = made(
        "import own_e\ndef f(X_train, y_train, X_test): return own_e.f(X_train, y_train, X_test)",
        "f",
    )
    for k in (0, 1111):
        e.k = k
        for f in (e.f, use):
            here, there = (
                ef.run.run(f, partition, y[:, None], y, measures="absolute", n_jobs=jobs)
                for jobs in (1, 2)
            )
            np.testing.assert_array_equal(here["absolute"].values, there["absolute"].values)
            assert (here["absolute"].values.max() > 1000) == (k > 0)


@pytest.mark.parametrize(
    "text", ["k = 1111\ndef g(): return k", "k = ("], ids=["edited", "half written"]
)
def test_workers_know_modules_that_are_imported_when_called(
    own: Callable[..., None], tmp_path: Path, text: str
) -> None:
    """
    A file that is edited in the middle of a run decides nothing.

    Workers get what was loaded here.
    """
    y = np.arange(40) % 2
    partition = ef.Mx2BCV(1, random_state=0).partition(40)
    own(own_h="k = 0\ndef g(): return k")
    h: Any = importlib.import_module("own_h")
    use = made(
        "def f(X_train, y_train, X_test):\n    import own_h\n    return X_test[:, 0] * 0 + "
        "own_h.g()",
        "f",
    )
    (Path(h.__file__)).write_text(text)
    done = ef.run.run(
        use, partition, y[:, None], y, measures="absolute", n_jobs=2, store=tmp_path / "s.db"
    )
    assert done.failures == ()
    assert done["absolute"].values.max() < 1


def test_a_module_that_cannot_travel_is_imported_by_the_workers(own: Callable[..., None]) -> None:
    y = np.arange(40) % 2
    partition = ef.Mx2BCV(1, random_state=0).partition(40)
    own(own_i="import threading\nlock = threading.Lock()\ndef g(): return 0")
    importlib.import_module("own_i")
    use = made(
        "def f(X_train, y_train, X_test):\n    import own_i\n    return X_test[:, 0] * 0 + "
        "own_i.g()",
        "f",
    )
    done = ef.run.run(use, partition, y[:, None], y, measures="absolute", n_jobs=2)
    assert done.failures == ()


class Holder:
    """An object that holds others."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _function_with(value: Any) -> Any:
    f = made("def f(x): return f.value", "f")
    f.value = value
    return f


def _module_with(value: Any) -> Any:
    module = types.ModuleType("own_state")
    module.value = [Holder(value)]  # type: ignore[attr-defined]  # a module that is made up here
    return made("def f(x): return own.value", "f", own=module)


def _called_with(value: Any) -> Any:
    return made("class f:\n def __call__(self, x): return self.state", "f", Holder=Holder), Holder(
        value
    )


def _fitted_with(value: Any) -> Any:
    model = Ridge()
    model.coef_ = value
    return made("def f(x): return model.predict(x)", "f", model=model)


PLACES: dict[str, Callable[[Any], Any]] = {
    "attribute of a function": _function_with,
    "default of a function": lambda value: made("def f(x, k=value): return k", "f", value=value),
    "global": lambda value: made("def f(x): return value", "f", value=value),
    "global of an own module": _module_with,
    "attribute of an object": Holder,
    "object that is called": _called_with,
    "parameter": lambda value: FunctionTransformer(kw_args={"k": value}),
    "attribute of a class": lambda value: made("class f:\n k = value", "f", value=value),
    "fitted model": _fitted_with,
    "argument of a partial": lambda value: partial(print, sep=value),
}


@pytest.mark.parametrize("place", PLACES)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=40)
@given(value=plain, other=plain)
def test_whatever_changes_anywhere_changes_the_key_and_nothing_else_does(
    place: str, value: Any, other: Any
) -> None:
    one, two = PLACES[place](value), PLACES[place](other)
    assert (fingerprint(one, cloned=True) == fingerprint(two, cloned=True)) == same(value, other)
    assert fingerprint(PLACES[place](deepcopy(value)), cloned=True) == fingerprint(one, cloned=True)


def circle(n: int, seed: int) -> list[Holder]:
    """Objects that refer to each other at random."""
    rng = np.random.default_rng(seed)
    nodes = [Holder(None) for _ in range(n)]
    for i, node in enumerate(nodes):
        node.value = [i, *(nodes[j] for j in rng.integers(n, size=rng.integers(1, 4)))]
    return nodes


def test_objects_that_refer_to_each_other_are_hashed_once_each() -> None:
    everybody = [Holder(None) for _ in range(300)]
    for one in everybody:
        one.value = everybody
    begin = time.process_time()
    assert fingerprint(everybody) == fingerprint(deepcopy(everybody))
    deep: list[Any] = []
    for _ in range(100):
        deep = [deep, deep]  # 2**100 paths
    assert fingerprint(deep) == fingerprint(deepcopy(deep))
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("seed", range(20))
def test_a_change_anywhere_in_a_circle_changes_the_key(seed: int) -> None:
    n = 12
    before = fingerprint(circle(n, seed))
    assert fingerprint(circle(n, seed)) == before
    found = {before}
    for i in range(n):
        changed = circle(n, seed)
        changed[i].value[0] = -1
        found.add(fingerprint(changed))
        changed = circle(n, seed)
        changed[i].value[-1] = changed[i]
        if circle(n, seed)[i].value[-1] is not changed[i]:
            found.add(fingerprint(changed))
    assert len(found) >= n + 1


def test_a_thing_shared_or_copied_has_one_key() -> None:
    shared = Path("a")
    assert fingerprint([shared, shared]) == fingerprint([Path("a"), Path("a")])


def test_what_has_no_content_in_a_module_of_ones_own_is_named() -> None:
    module = types.ModuleType("own_lock")
    module.lock = threading.Lock()  # type: ignore[attr-defined]  # a module that is made up here
    with pytest.raises(Unhashable, match="a lock, in the module 'own_lock'"):
        fingerprint(made("def f(x): return own.lock", "f", own=module))


def test_the_settings_of_scikit_learn_count() -> None:
    before = keys(Ridge())
    with sklearn.config_context(transform_output="pandas"):
        assert keys(Ridge()) != before
    with sklearn.config_context(display="text"):  # decides no prediction
        assert keys(Ridge()) == before


def keys(algorithms: Any, version: Any = None, seed: int = 0) -> list[bytes]:
    data = check_data(X, [0, 1, 0])
    return series_keys(data, check_algorithms(algorithms), seed=seed, version=version)


def test_a_version_stands_only_for_what_has_no_content() -> None:
    assert keys(Ridge(alpha=1), "1") != keys(Ridge(alpha=2), "1")
    assert keys(Ridge(), "1") == keys(Ridge(), "2") == keys(Ridge())
    one, other = (make_pipeline(FunctionTransformer(closing()), Ridge(alpha=k)) for k in (1, 2))
    assert keys(one, "1") == keys(one, {"Pipeline": "1"}) != keys(one, "2")
    assert keys(one, "1") != keys(other, "1")
    with pytest.raises(
        InvalidInput, match="version must name algorithms among Ridge but names 'ridge'"
    ):
        keys(Ridge(), {"ridge": "1"})


def test_the_seed_counts_where_there_is_randomness() -> None:
    assert keys(Ridge(random_state=1), seed=0) == keys(Ridge(random_state=1), seed=1)
    assert keys(Ridge(), seed=0) != keys(Ridge(), seed=1)


def test_where_versions_come_from() -> None:
    assert version("__main__") is None
    assert version("math") == version("json.decoder")
    assert version("_pytest") is not None
    assert version("a_module_of_my_own") is None
