"""Rules of the Python package: its folders, ctypes in only one of them, types, and supported Python versions."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from lint_sources import ROOT, relative, text_files

PROJECT = ROOT / "python-package"
PACKAGE = PROJECT / "kauriboost"
LAYER = {
    "_public": 0,
    "_binding": 1,
    "_collective": 2,
    "_markup": 2,
    "_data": 3,
    "_export": 3,
    "_model": 4,
    "_training": 5,
    "_explaining": 6,
    "_distilling": 6,
    "_forests": 6,
    "_plotting": 7,
    "_shap": 7,
    "_report": 8,
    "_estimators": 7,
    "_cluster": 4,
    "_dask": 8,
    "_spark": 8,
    "_ray": 8,
    "_tools": 8,
}


def name_of(path: Path) -> str:
    """Return the dotted name below the package; `__init__` has the name of its folder."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip(".")


PATHS = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}
MODULES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in PATHS.items()}


def imported(name: str) -> set[str]:
    """Return the modules of the package that a module imports."""
    found = set()
    for node in ast.walk(MODULES[name]):
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            folder = PATHS[name].parents[node.level - 1].relative_to(PACKAGE)
            target = ".".join([*folder.parts, *([node.module] if node.module else [])])
            inner = {f"{target}.{alias.name}".lstrip(".") for alias in node.names} & set(MODULES)
            found |= inner or {target}
    return found


def room_of(name: str) -> str:
    return name.split(".")[0]


def test_a_room_imports_what_is_below_it() -> None:
    wrong = [
        f"{name} imports {target}"
        for name in MODULES
        if room_of(name) in LAYER
        for target in imported(name)
        if room_of(target) != room_of(name) and LAYER.get(room_of(target), 99) >= LAYER[room_of(name)]
    ]
    assert not wrong, "\n".join(wrong)
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()} == set(LAYER) - {"_public"}


def test_no_modules_import_each_other() -> None:
    # a CycleError names the modules
    order = list(TopologicalSorter({name: imported(name) for name in MODULES}).static_order())
    assert sorted(order) == sorted(MODULES)
    assert imported("_data.shuffling") == {"_binding.arrays", "_binding.errors", "_data.device"}


def test_ctypes_stay_in_the_binding() -> None:
    for name, tree in MODULES.items():
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert "ctypes" not in names or room_of(name) == "_binding", f"{name}: ctypes are the binding's"


def test_calls_are_spelled() -> None:
    """Names of C functions are written in full, so that searches find callers, and every called one has a signature."""
    called, strings = set(), set()
    for tree in MODULES.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "LIB":
                called.add(node.attr)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
                assert getattr(node.args[0], "id", "") != "LIB", f"line {node.lineno}: write LIB.Name"
    for node in MODULES["_binding.signatures"].body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "ARGUMENTS":
            assert isinstance(node.value, ast.Dict)
            strings = {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
    assert called == strings


def test_types() -> None:
    command = [sys.executable, "-m", "mypy", "--config-file", str(PROJECT / "pyproject.toml"), str(PACKAGE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


def test_what_types_do_not_see_has_a_reason() -> None:
    bare = re.compile(r"# type: ignore(\[[\w, -]+\])?\s*$")
    found = [
        f"{relative(path)}:{number}"
        for path in PACKAGE.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if bare.search(line)
    ]
    assert not found, "say why, behind the comment: " + ", ".join(found)


def oldest_python() -> str:
    (version,) = re.findall(r'^requires-python = ">=(3\.\d+)"$', (PROJECT / "pyproject.toml").read_text(), re.MULTILINE)
    return version


def test_one_configuration_of_ruff_for_the_oldest_python() -> None:
    configured = [
        relative(path)
        for path in text_files()
        if path.name in {"ruff.toml", ".ruff.toml"} or (path.suffix == ".toml" and "[tool.ruff" in path.read_text())
    ]
    assert configured == ["ruff.toml"]
    assert f'target-version = "py{oldest_python().replace(".", "")}"' in (ROOT / "ruff.toml").read_text()


def test_the_readme_names_the_oldest_python() -> None:
    assert f"Python {oldest_python()} or later" in (PROJECT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MODULES)
def test_syntax_and_calls_of_the_oldest_python(name: str) -> None:
    """Check what ruff does not: the grammar, and a later argument of zip."""
    minor = int(oldest_python().split(".")[1])
    tree = ast.parse(PATHS[name].read_text(encoding="utf-8"), feature_version=(3, minor))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
            assert minor >= 10 or not node.keywords, f"{name}:{node.lineno}: zip() has no keywords in Python 3.{minor}"
