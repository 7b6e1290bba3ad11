"""Algorithms as text: what is read, what is refused, and that nothing is ever evaluated."""

from pathlib import Path

import pytest

from evenfold.core.errors import InvalidInput
from evenfold.read.estimators import estimator_from, load_estimator, names, parse


@pytest.mark.parametrize(
    ("text", "name", "module", "path", "arguments"),
    [
        ("m:C", None, "m", "C", {}),
        ("m:C()", None, "m", "C", {}),
        (" a.b : C ( x = 1 ) ", None, "a.b", "C", {"x": 1}),
        ("m:Outer.Inner", None, "m", "Outer.Inner", {}),
        ("m:C(a=-1, b='x', c=[1, (2, None)], d={'k': True})", None, "m", "C",
         {"a": -1, "b": "x", "c": [1, (2, None)], "d": {"k": True}}),
        ("knn=m:C(k=3)", "knn", "m", "C", {"k": 3}),
        ("<b>[red](1)=m:C", "<b>[red](1)", "m", "C", {}),
        ("m:C(url='http://x=y')", None, "m", "C", {"url": "http://x=y"}),
    ],
)  # fmt: skip
def test_what_is_read(
    text: str, name: str | None, module: str, path: str, arguments: object
) -> None:
    spec = parse(text)
    assert (spec.name, spec.module, spec.path, spec.arguments) == (name, module, path, arguments)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be module:Class"),
        ("k = 3 neighbours=m:C", "must be module:Class"),
        ("DecisionTreeClassifier", "must be module:Class"),
        ("sklearn.svm.SVC(C=3)", r"Write sklearn.svm:SVC\(C=3\)\."),
        ("m:", "must be module:Class"),
        (":C", "must be module:Class"),
        ("=m:C", "must be module:Class"),
        ("m:C(", "must be module:Class"),
        ("m:C(1)", "Every argument of --a must have a name"),
        ("m:C(*[1])", "Every argument of --a must have a name"),
        ("m:C(**{'a': 1})", "must name its arguments one by one"),
        ("m:C(a=1, a=2)", "must not repeat an argument"),
        ("m:C(a=1)(b=2)", "must be module:Class"),
        ("m:C(a=open('f'))", r"Argument a of --a must be a literal but got .*open\('f'\)"),
        ("m:C(a=2**99)", "must be a literal"),
        ("m:C(a=C())", "must be a literal"),
        ("m:C(a={[]: 1})", "must be a literal"),
        ("m:C(a=__import__('os').system('true'))", "must be a literal"),
        ("m:(lambda: 0)()", "must be module:Class"),
        ("m:C[0]", "must be module:Class"),
        ("m;import os:C", "must be module:Class"),
        ("m:" + "(" * 500, "must be module:Class"),
    ],
)  # fmt: skip
def test_what_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        parse(text, "--a")
    assert "\n" not in str(caught.value)


def test_nothing_is_evaluated(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for text in (
        f"m:C(a=open({str(trace)!r}, 'w'))",
        f"os:system('touch {trace}')",
        f"m:C[open({str(trace)!r}, 'w')]",
    ):
        with pytest.raises(InvalidInput):
            parse(text)
    assert not trace.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sklearnn.tree:X", r"There is no module 'sklearnn'\. Did you mean 'sklearn'"),
        ("sklearn.treee:X", r"There is no module 'sklearn.treee'\. Did you mean 'sklearn.tree'\?"),
        (
            "sklearn.tree:DecisionTreeClasifier",
            "sklearn.tree has no .*Did you mean 'DecisionTreeClassifier'",
        ),
        (
            "sklearn.tree:DecisionTreeClassifier(max_dept=3)",
            "no argument 'max_dept'. Did you mean 'max_depth'",
        ),
        ("sklearn.tree:DecisionTreeClassifier.nothing", "has no 'nothing'"),
        ("sklearn.multiclass:OneVsRestClassifier", "cannot be made: TypeError: .*estimator"),
        ("math:pi", "math is a module of Python itself"),
        (
            "sklearn.preprocessing:StandardScaler",
            "a class with fit and predict, but it is a class without them",
        ),
        ("sklearn:__version__", "but it is an object of type str"),
        (
            "sklearn.datasets:load_iris",
            "a function that may do anything. Use --trust sklearn.datasets",
        ),
    ],
)
def test_what_cannot_be_loaded(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        load_estimator(parse(text))
    assert "\n" not in str(caught.value)


def test_modules_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("my_models_of_test.py").write_text(
        "from sklearn.dummy import DummyClassifier as D\ndef make(constant): return "
        "D(constant=constant)\n"
    )
    assert (
        load_estimator(parse("my_models_of_test:make(constant=3)"), ["my_models_of_test"]).constant
        == 3
    )
    Path("my_broken_of_test.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(
        InvalidInput, match=r"cannot be imported: .*No module named 'nothing_of_that_name'"
    ):
        load_estimator(parse("my_broken_of_test:make"))
    Path("my_wrong_of_test.py").write_text("1 / 0\n")
    with pytest.raises(InvalidInput, match="cannot be imported: ZeroDivisionError"):
        load_estimator(parse("my_wrong_of_test:make"))


def test_what_is_imported_from_the_folder_is_said_but_not_an_environment_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with ``.venv`` beside the data: its packages are installed ones."""
    code = "class Model:\n    def fit(self, X, y): ...\n    def predict(self, X): ...\n"
    installed = tmp_path / ".venv" / "lib" / "site-packages"
    for folder in (installed / "my_installed_of_test", tmp_path / "my_package_of_test" / "inner"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
        (folder / "models.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(installed))
    said: list[str] = []
    load_estimator(parse("my_installed_of_test.models:Model"), say=said.append)
    assert said == []
    load_estimator(parse("my_package_of_test.inner.models:Model"), say=said.append)
    assert said == [
        f"my_package_of_test.inner{part} was imported from this folder" for part in ("", ".models")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "os:system(command='touch trace')",
        "posix:system(command='touch trace')",
        "subprocess:run(args=['touch', 'trace'])",
        "subprocess:Popen(args=['touch', 'trace'])",
        "os:_exit(status=0)",
        "sys:exit(status=0)",
        "pickle:load(file='trace.pickle')",
        'builtins:exec(source=\'open("trace", "w")\')',
        "importlib:import_module(name='trace')",
        "runpy:run_path(path_name='trace.py')",
        "shutil:rmtree(path='.')",
        "joblib:load(filename='trace.pickle')",
        "joblib.numpy_pickle:load(filename='trace.pickle')",
        "numpy:load(file='trace.npy')",
        "pandas:read_pickle(filepath_or_buffer='trace.pickle')",
        "sklearn.utils:os.system(command='touch trace')",
        "joblib.parallel:os.system(command='touch trace')",
        "joblib:os._exit(status=0)",
    ],
)
def test_nothing_but_a_class_with_fit_and_predict_is_called(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trace.py").write_text("open('trace', 'w')\n")
    Path("trace.pickle").write_bytes(b"cos\nsystem\n(S'touch trace'\ntR.")
    with pytest.raises(InvalidInput) as caught:
        load_estimator(parse(text))
    assert "\n" not in str(caught.value)
    assert not Path("trace").exists()


def test_trust_is_for_functions_of_that_module_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("my_trusted_of_test.py").write_text(
        "import os, subprocess\n"
        "def make():\n    from sklearn.dummy import DummyClassifier\n    return DummyClassifier()\n"
        "def nothing(): return 3\n"
        "def leave(): raise SystemExit(0)\n"
    )
    spec = parse("my_trusted_of_test:make")
    with pytest.raises(InvalidInput, match="Use --trust my_trusted_of_test to have it called"):
        load_estimator(spec)
    with pytest.raises(InvalidInput, match="Use --trust"):
        load_estimator(spec, ["my_trusted"])
    assert load_estimator(spec, ["my_trusted_of_test"]) is not None
    for path, message in (
        ("os.system(command='touch trace')", "a part of Python's standard library"),
        ("subprocess.run(args=['touch', 'trace'])", "a part of Python's standard library"),
        (
            "nothing",
            "must make an estimator with fit and predict, but it made an object of type int",
        ),
        ("leave", "cannot be made: SystemExit: 0"),
    ):
        with pytest.raises(InvalidInput, match=message):
            load_estimator(parse(f"my_trusted_of_test:{path}"), ["my_trusted_of_test"])
    assert not Path("trace").exists()


def test_names_are_unique() -> None:
    specs = [parse(text) for text in ("m:A", "m:A", "b=m:A", "m:B(k=1)", "n:B(k=2)", "m:B(k=1)")]
    assert names(specs) == ["A", "A 2", "b", "B(k=1)", "B(k=2)", "B(k=1) 2"]
    with pytest.raises(InvalidInput, match="Two algorithms have the name"):
        names([parse("a=m:A"), parse("a=m:B")])


@pytest.mark.parametrize(
    "path", ["IPython.__main__:X", "test.autotest:X", "pip.__main__:main", "__main__:X"]
)
def test_programs_are_not_started(path: str) -> None:
    with pytest.raises(
        InvalidInput,
        match=r"^(\w+\.)?__main__ is a program|^test\.autotest is a module of Python itself",
    ):
        estimator_from(path)


def test_plain_functions_and_objects_are_algorithms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    Path("own_of_test.py").write_text(
        "from sklearn.dummy import DummyClassifier\n"
        "ready = DummyClassifier()\n"
        "def majority(X_train, y_train, X_test, seed=0): return [max(set(y_train))] * len(X_test)\n"
    )
    assert estimator_from("own_of_test:ready").strategy == "prior"
    assert estimator_from("own_of_test:majority", trusted=["own_of_test"]).__name__ == "majority"
    with pytest.raises(InvalidInput, match="Use --trust own_of_test"):
        estimator_from("own_of_test:majority")
    with pytest.raises(InvalidInput, match="written without arguments"):
        estimator_from("own_of_test:ready()")
