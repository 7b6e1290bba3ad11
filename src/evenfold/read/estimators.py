"""
Algorithms as text: an import path and literal keyword arguments, read by :mod:`ast`, never run.

A text names a class that has ``fit`` and ``predict``, which is checked before anything is called,
or an object that has them. It may also name a function that makes an estimator, or a function
``(X_train, y_train, X_test)`` that is an algorithm itself; functions are called only if their
module is trusted. Nothing of the standard library is an estimator, and parts of it act on the
system, so none of it is imported or called.

Examples are ``sklearn.tree:DecisionTreeClassifier``, ``sklearn.svm:SVC(C=10, kernel="linear")``
and, with a name, ``forest=sklearn.ensemble:RandomForestClassifier(n_estimators=200)``.
"""

import ast
import inspect
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from evenfold.core.checks import count_required, did_you_mean, refuse, short_repr, texts
from evenfold.core.errors import InvalidInput
from evenfold.core.processes import allow_modules
from evenfold.core.words import reason, unused_name

_NAMED = re.compile(r"(?P<name>[^=:]*)=(?P<path>.+)", re.DOTALL)  # an = before any : ends a name
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_FORM = (
    'module:Class or module:Class(name=value), for example sklearn.svm:SVC(C=10, kernel="linear")'
)

_NAMED_ARGUMENTS = f"Write {_FORM}."

# Two algorithms to begin with, by whether labels are predicted, else numbers.
LINEAR = {True: "sklearn.linear_model:LogisticRegression", False: "sklearn.linear_model:Ridge"}
FOREST = {
    True: "sklearn.ensemble:RandomForestClassifier",
    False: "sklearn.ensemble:RandomForestRegressor",
}


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Spec:
    """
    One algorithm as it was written.

    Attributes
    ----------
    name : str or None
        The name it was given, if any.
    module, path : str
        Where the class is: a module and a name in it.
    arguments : dict
        Keyword arguments, literals all of them.
    written : str
        Class and arguments as they were written, without the module.
    """

    name: str | None
    module: str
    path: str
    arguments: dict[str, Any]
    written: str


def parse(text: str, option: str = "algorithm") -> Spec:
    """
    Read one algorithm; nothing is imported and nothing is run.

    Parameters
    ----------
    text : str
        ``[name=]module:Class[(keyword=literal, ...)]``.
    option : str
        Where it was written, for messages.

    Examples
    --------
    >>> spec = parse("knn=sklearn.neighbors:KNeighborsClassifier(n_neighbors=3)")
    >>> spec.name, spec.module, spec.path, spec.arguments
    ('knn', 'sklearn.neighbors', 'KNeighborsClassifier', {'n_neighbors': 3})
    """
    named = _NAMED.fullmatch(text)
    name, path = (named["name"].strip(), named["path"]) if named else (None, text)
    module, colon, written = (part.strip() for part in path.partition(":"))
    if not colon or not _MODULE.fullmatch(module) or not written or name == "":
        refuse(option, f"{option} must be {_FORM}, but got {short_repr(text)}.", _colon_hint(text))
    target, arguments = _call(written, text, option)
    return Spec(name=name, module=module, path=target, arguments=arguments, written=written)


def _colon_hint(text: str) -> str:
    """Say where the colon goes in ``package.module.Class``, and where a bare class comes from."""
    head, dot, tail = text.partition("(")[0].rpartition(".")
    if dot and _MODULE.fullmatch(f"{head}.{tail}"):
        return f"Write {head}:{text[len(head) + 1 :]}."
    named = _NAMED.fullmatch(text)
    is_named = named is not None and "(" not in named["name"]
    written = named["path"].strip() if named is not None and is_named else text.strip()
    word, call, arguments = written.partition("(")
    if not _MODULE.fullmatch(word):
        return ""
    homes = _estimators_of_scikit_learn() | _OF_OTHERS
    if word in homes:
        return f"Write {homes[word]}:{word}{call}{arguments}."
    near = get_close_matches(word, homes, n=1)
    return f"Did you mean {homes[near[0]]}:{near[0]}?" if near else ""


_OF_OTHERS = {
    **dict.fromkeys(("XGBClassifier", "XGBRegressor"), "xgboost"),
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor"), "lightgbm"),
    **dict.fromkeys(("CatBoostClassifier", "CatBoostRegressor"), "catboost"),
}
"""Estimators of other libraries that people name without their module."""


def _estimators_of_scikit_learn() -> dict[str, str]:
    """The public module of every classifier and regressor of scikit-learn, by name of class."""
    from sklearn.utils.discovery import all_estimators

    homes = {}
    for name, kind in all_estimators(type_filter=["classifier", "regressor"]):
        public = [part for part in kind.__module__.split(".") if not part.startswith("_")]
        homes[name] = ".".join(public)
    return homes


def _call(written: str, text: str, option: str) -> tuple[str, dict[str, Any]]:
    """Return the name in the module and the keyword arguments."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of invalid escapes, which is no matter here
            node = ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        refuse(option, f"{option} must be {_FORM}, but got {short_repr(text)}.")
    arguments: dict[str, Any] = {}
    if isinstance(node, ast.Call):
        if node.args:
            refuse(
                option,
                f"Every argument of {option} must have a name but got {short_repr(text)}.",
                _NAMED_ARGUMENTS,
            )
        arguments = dict(_literal(keyword, text, option) for keyword in node.keywords)
        if len(arguments) < len(node.keywords):
            refuse(option, f"{option} must not repeat an argument but got {short_repr(text)}.")
        node = node.func
    target = ast.unparse(node)
    if not _MODULE.fullmatch(target):
        refuse(option, f"{option} must be {_FORM}, but got {short_repr(text)}.")
    return target, arguments


def _literal(keyword: ast.keyword, text: str, option: str) -> tuple[str, Any]:
    if keyword.arg is None:
        refuse(
            option,
            f"{option} must name its arguments one by one but got {short_repr(text)}.",
            _NAMED_ARGUMENTS,
        )
    try:
        return keyword.arg, ast.literal_eval(keyword.value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        value = short_repr(ast.unparse(keyword.value))
        refuse(
            option,
            f"Argument {keyword.arg} of {option} must be a literal but got the expression {value}.",
            "Write a number, a string, None, True or False, or a list, tuple or dict of them.",
        )


def estimator_from(text: str, *, trusted: Sequence[str] = ()) -> Any:
    """
    Make an estimator from how it is written: ``module:Class(name=value, ...)``.

    Parameters
    ----------
    text : str
        An import path and literal keyword arguments; it is parsed, never evaluated.
    trusted : sequence of str
        Modules and packages whose functions may be called to make an estimator; else it must be a
        class that has ``fit`` and ``predict``.

    Examples
    --------
    >>> estimator_from("sklearn.neighbors:KNeighborsClassifier(n_neighbors=3)")
    KNeighborsClassifier(n_neighbors=3)
    """
    if not isinstance(text, str):
        refuse("text", f"text must be {_FORM}, but got {short_repr(text)}.")
    return load_estimator(parse(text), texts("trusted", trusted))


def load_estimator(
    spec: Spec, trusted: Sequence[str] = (), say: Callable[[str], object] = str
) -> Any:
    """
    Import the class and call it with the arguments.

    The module may lie in the current folder, and so may the modules that are trusted. They are
    found after everything that is installed, and nothing else of the folder is imported.

    Parameters
    ----------
    spec : Spec
        What :func:`parse` has read.
    trusted : sequence of str
        Modules and packages whose functions may be called to make an estimator.
    say : function, optional
        Is told when a module of the current folder has been imported.
    """
    where = f"{spec.module}:{spec.path}"
    maker = _find_estimator(spec, trusted, say)
    if _is_ready(spec, maker, trusted):
        if "(" in spec.written:
            refuse(
                where,
                f"{where} is not called, so it must be written without arguments but got "
                f"{short_repr(spec.written)}.",
            )
        return maker
    _require_maker(spec, maker, trusted)
    _check_keywords(spec, maker)
    try:
        made = maker(**spec.arguments)
    except (Exception, SystemExit) as error:
        raise InvalidInput(
            f"{spec.module}:{spec.written} cannot be made: {_line(error)}."
        ) from error
    if not _is_estimator(made):
        refuse(
            where,
            f"{where} must make an estimator with fit and predict, but it made an object "
            f"of type {type(made).__name__}.",
        )
    return made


def _is_ready(spec: Spec, thing: Any, trusted: Sequence[str]) -> bool:
    """Whether a thing is an estimator, or a trusted function of three arguments."""
    if isinstance(thing, type) or _is_of_python(getattr(thing, "__module__", None) or ""):
        return False
    if _is_estimator(thing):
        return True
    return inspect.isfunction(thing) and count_required(thing) >= 3 and _is_trusted(spec, trusted)


def _is_trusted(spec: Spec, trusted: Sequence[str]) -> bool:
    return any(spec.module == name or spec.module.startswith(f"{name}.") for name in trusted)


def _require_maker(spec: Spec, maker: Any, trusted: Sequence[str]) -> None:
    """Refuse what is no class with fit and predict, before it is called, unless trusted."""
    where = f"{spec.module}:{spec.path}"
    rule = f"{where} must be a class with fit and predict, but it is"
    if _is_of_python(getattr(maker, "__module__", None) or ""):
        refuse(where, f"{rule} a part of Python's standard library.")
    if isinstance(maker, type):
        if not _is_estimator(maker):
            refuse(where, f"{rule} a class without them.")
        return
    if not callable(maker):
        refuse(where, f"{rule} an object of type {type(maker).__name__}.")
    if not _is_trusted(spec, trusted):
        refuse(
            where,
            f"{rule} a {type(maker).__name__} that may do anything.",
            f"Use --trust {spec.module} to have it called.",
        )


def _is_estimator(thing: Any) -> bool:
    return hasattr(thing, "fit") and hasattr(thing, "predict")


def _is_of_python(module: str) -> bool:
    """Whether a module belongs to the standard library, its own tests included."""
    return module.partition(".")[0] in {*sys.stdlib_module_names, "test"}


def _find_estimator(spec: Spec, trusted: Sequence[str], say: Callable[[str], object]) -> Any:
    thing = _module(spec.module, trusted, say)
    where = spec.module
    for part in spec.path.split("."):
        if not hasattr(thing, part):
            public = [name for name in dir(thing) if not name.startswith("_")]
            refuse("algorithms", f"{where} has no {part!r}.", did_you_mean(part, public))
        thing = getattr(thing, part)
        where = f"{where}.{part}"
    return thing


def _module(name: str, trusted: Sequence[str], say: Callable[[str], object]) -> Any:
    if _is_of_python(name):
        refuse("algorithms", f"{name} is a module of Python itself, which has no estimators.")
    if "__main__" in name.split("."):
        refuse("algorithms", f"{name} is a program, whose classes cannot be imported.")
    here = Path.cwd()
    allow_modules(str(here), (module.partition(".")[0] for module in (name, *trusted)))
    before = set(sys.modules)
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        if name == missing or name.startswith(f"{missing}."):
            raise InvalidInput(
                f"There is no module {missing!r}.",
                parameter="algorithms",
                remedy=_near_module(missing),
            ) from error
        raise _import_failure(name, error, _import_hint(missing, here)) from error
    except (Exception, SystemExit) as error:
        raise _import_failure(name, error) from error
    for imported in sorted(set(sys.modules) - before):
        if _lies_in(here, imported):
            say(f"{imported} was imported from this folder")
    return module


def _import_failure(name: str, error: BaseException, remedy: str = "") -> InvalidInput:
    message = f"Module {name!r} cannot be imported: {_line(error)}."
    return InvalidInput(message, parameter="algorithms", remedy=remedy)


def _lies_in(folder: Path, module: str) -> bool:
    """Whether a module is one of the folder itself, not of an environment that lies in it."""
    file = Path(getattr(sys.modules[module], "__file__", None) or "/")
    *packages, last = module.split(".")
    home = folder.joinpath(*packages)
    return file.parent in (home, home / last)


def _import_hint(missing: str, folder: Path) -> str:
    """Say how a module that lies in the folder, but was not named, can be imported."""
    top = missing.partition(".")[0]
    if (folder / f"{top}.py").exists() or (folder / top).is_dir():
        return f"There is a module {top!r} in this folder. Use --trust {top} to have it imported."
    return ""


def _near_module(missing: str) -> str:
    """Look among the modules of the same package, or among all that are installed."""
    parent, dot, last = missing.rpartition(".")
    paths = getattr(sys.modules.get(parent), "__path__", None)
    public = [module.name for module in iter_modules(paths) if not module.name.startswith("_")]
    return did_you_mean(last, public, prefix=parent + dot)


def _line(error: BaseException) -> str:
    return reason(f"{type(error).__name__}: {error}")


def _check_keywords(spec: Spec, maker: Any) -> None:
    try:
        parameters = inspect.signature(maker).parameters
    except (TypeError, ValueError):  # some things written in C have none
        return
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return
    for keyword in spec.arguments:
        if keyword not in parameters:
            refuse(
                "algorithms",
                f"{spec.path} has no argument {keyword!r}.",
                did_you_mean(keyword, parameters),
            )


def names(specs: Sequence[Spec]) -> list[str]:
    """
    Name the algorithms: as asked, else by class, with arguments where the class is not unique.

    Examples
    --------
    >>> names(
    ...     [parse("m:KNN(k=1)"), parse("m:KNN(k=5)"), parse("tree=m:Tree"), parse("m:Bayes(a=0)")]
    ... )
    ['KNN(k=1)', 'KNN(k=5)', 'tree', 'Bayes']
    """
    classes = Counter(spec.path.rpartition(".")[2] for spec in specs if spec.name is None)
    chosen: list[str] = []
    for spec in specs:
        short = spec.path.rpartition(".")[2]
        name = spec.name or (spec.written if classes[short] > 1 else short)
        if spec.name is not None and name in chosen:
            refuse("algorithms", f"Two algorithms have the name {name!r}.", "Rename one of them.")
        chosen.append(unused_name(name, chosen))
    return chosen
