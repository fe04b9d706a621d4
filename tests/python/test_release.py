"""Checks that the parts of a release agree: versions (cmake/versions.py), the conda recipe, and the package's page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
import versions  # noqa: E402

RECIPE = ROOT / "cmake" / "conda" / "recipe.yaml"
PACKAGE = ROOT / "python-package"
VERSION = versions.find_version(ROOT, "CMakeLists.txt")
# Packages of Debian that a build needs, and their names in conda. The compiler and Python have selectors of their own.
CONDA_NAMES = {
    "cmake": "cmake",
    "ninja-build": "ninja",
    "pkg-config": "pkg-config",
    "libdmlc-dev": "dmlc-core",
    "nlohmann-json3-dev": "nlohmann_json",
    "libhwy-dev": "libhwy",
    "zlib1g-dev": "zlib",
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the files that name the version."""
    for place in versions.PLACES:
        name = place.partition(",")[0]
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_all_files_name_one_version() -> None:
    assert versions.find_problems(ROOT, release=False) == []
    done = subprocess.run([sys.executable, ROOT / "cmake" / "versions.py"], text=True, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{VERSION}\n")


@pytest.mark.parametrize("place", [place for place in versions.PLACES if place != "CMakeLists.txt"])
def test_another_version_is_found(place: str, copy: Path) -> None:
    name = place.partition(",")[0]
    found = re.search(versions.PLACES[place], (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    replace(copy / name, found[0], found[0].replace(found[1], "9.8.7"))
    assert f"{place}: 9.8.7 where CMakeLists.txt has {VERSION}" in versions.find_problems(copy, release=False)


def release(copy: Path, heading: str, cited: str = "") -> list[str]:
    """Give the newest version of a copy another heading and another date, and return the problems."""
    text = (copy / "CHANGELOG.md").read_text(encoding="utf-8")
    text = re.sub(rf"^## {re.escape(VERSION)}, .*$", heading, text, count=1, flags=re.MULTILINE)
    (copy / "CHANGELOG.md").write_text(text, encoding="utf-8")
    text = re.sub(r"^date-released: .*\n", "", (copy / "CITATION.cff").read_text(encoding="utf-8"), flags=re.MULTILINE)
    (copy / "CITATION.cff").write_text(text + cited, encoding="utf-8")
    return versions.find_problems(copy, release=True)


def test_a_tag_needs_a_date_in_both_files(copy: Path) -> None:
    (problem,) = release(copy, f"## {VERSION}, not released yet")
    assert "has no date" in problem
    (problem,) = release(copy, f"## {VERSION}, 2026-12-01")
    assert "date-released is missing" in problem
    (problem,) = release(copy, f"## {VERSION}, 2026-12-01", "date-released: 2026-12-02\n")
    assert "date-released is 2026-12-02" in problem
    assert release(copy, f"## {VERSION}, 2026-12-01", "date-released: 2026-12-01\n") == []


def test_odd_headings_and_orders_are_found(copy: Path) -> None:
    dated = f"## {VERSION}, 2026-12-01"
    cited = "date-released: 2026-12-01\n"
    assert any("'## 0.2 soon' is no" in problem for problem in release(copy, f"{dated}\n\n## 0.2 soon", cited))
    assert any("not newest first" in problem for problem in release(copy, f"{dated}\n\n## 9.0.0, 2026-11-01", cited))
    older = "## 0.0.1, not released yet"
    assert any("only the newest" in problem for problem in release(copy, f"{dated}\n\n{older}", cited))
    older = "## 0.0.1, 2027-01-01"
    assert any("dates are not" in problem for problem in release(copy, f"{dated}\n\n{older}", cited))


def requirements(recipe: dict, section: str) -> dict[str, str]:
    """Return the names and limits of a section of the recipe."""
    entries = (str(entry).partition(" ") for entry in recipe["requirements"][section])
    return {name: limit for name, _, limit in entries}


def pyproject() -> str:
    return (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")


def test_the_conda_recipe_needs_what_the_package_needs() -> None:
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
    text = pyproject()
    needed = re.search(r'^dependencies = \["numpy(.*)"\]$', text, re.MULTILINE)
    python = re.search(r'^requires-python = ">=(.*)"$', text, re.MULTILINE)
    assert needed is not None
    assert python is not None
    run = requirements(recipe, "run")
    assert run == {"python": ">=${{ python_min }}", "numpy": needed[1]}
    assert recipe["context"]["python_min"] == python[1]
    assert f"scikit-learn{requirements(recipe, 'run_constraints')['scikit-learn']}" in text
    assert f"setuptools{requirements(recipe, 'host')['setuptools']}" in text
    assert recipe["about"]["license"] in text
    assert recipe["about"]["summary"] in text
    for file in recipe["about"]["license_file"]:
        assert (ROOT / file).exists()
    assert (RECIPE.parent / recipe["source"]["path"]).resolve() == ROOT


def test_the_conda_recipe_builds_with_what_a_build_needs() -> None:
    yaml = pytest.importorskip("yaml")
    recipe = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))
    named = {*requirements(recipe, "build"), *requirements(recipe, "host")}
    lines = (ROOT / "cmake" / "debian-packages.txt").read_text(encoding="utf-8").splitlines()
    packages = {line.split()[1] for line in lines if line.startswith("build ")}
    assert packages - CONDA_NAMES.keys() == {"g++", "python3-venv"}
    assert named >= set(CONDA_NAMES.values())


@pytest.mark.skipif(
    os.environ.get("KAURI_WHEELS") != "all", reason="only with KAURI_WHEELS=all: needs py-rattler-build"
)
def test_the_conda_recipe_is_one() -> None:
    rattler_build = pytest.importorskip("rattler_build")
    text = RECIPE.read_text(encoding="utf-8")
    variants = rattler_build.VariantConfig.from_yaml("c_stdlib: [sysroot]\nc_stdlib_version: ['2.28']\n")
    (rendered,) = rattler_build.Stage0Recipe.from_yaml(text).render(variants)
    assert (str(rendered.recipe.package.name), str(rendered.recipe.package.version)) == ("kauriboost", VERSION)
    assert [str(need) for need in rendered.recipe.requirements.run] == ["python >=3.9", "numpy >=1.22"]
    with pytest.raises(Exception, match=r"build\.number"):
        rattler_build.Stage0Recipe.from_yaml(text.replace("number: 0", "number: zero"))


@pytest.mark.parametrize("page", [PACKAGE / "README.md", PACKAGE / "cuda" / "README.md"], ids=["kauriboost", "cuda"])
def test_a_page_of_an_index_needs_nothing_beside_it(page: Path) -> None:
    """An index shows the page alone, so a link to a file of the checkout would be dead there."""
    links = re.findall(r"\]\(([^)]*)\)|<(?:img|a) [^>]*(?:src|href)=\"([^\"]*)\"", page.read_text(encoding="utf-8"))
    assert [link for pair in links for link in pair if link and not link.startswith(("https://", "#"))] == []
