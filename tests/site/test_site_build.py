"""The site builds without warnings, contains all declared names, and has no dead links."""

from __future__ import annotations

import importlib
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import c_reference
import help_reference
import kauriboost as kb
import pages
import pytest
import python_reference
from blocks import ROOT


class Page(HTMLParser):
    """The link targets of a page, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value or "")
            if name in {"href", "src"}:
                self.targets.add(value or "")


def dead_links(site: Path) -> list[str]:
    """Return `page: target` for every link within the site to a missing file or anchor."""
    known = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    dead = []
    for path, page in known.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            has_anchor = not parts.fragment or file not in known or unquote(parts.fragment) in known[file].anchors
            if not file.is_file() or not has_anchor:
                dead.append(f"{path.name}: {target}")
    return sorted(dead)


def inventory(site: Path) -> dict[str, set[str]]:
    """Return `domain:role` -> names that Sphinx can link to."""
    content = (site / "objects.inv").read_bytes()
    text = zlib.decompress(content[content.index(b"zlib.\n") + 6 :]).decode()
    found: dict[str, set[str]] = {}
    for name, role in re.findall(r"^(.+?) (\S+:\S+) -?\d+ ", text, re.MULTILINE):
        found.setdefault(role, set()).add(name)
    return found


def test_no_link_is_dead(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) > 35
    assert not dead_links(site)


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here">x</a><a href="b.html#gone">x</a><img src="no.png">')
    (tmp_path / "b.html").write_text('<p id="here"></p><a href="a.html">x</a><a href="https://example.org/x">x</a>')
    assert dead_links(tmp_path) == ["a.html: b.html#gone", "a.html: no.png"]


def test_every_parameter_has_a_place(site: Path) -> None:
    parameters = kb.parameters()
    aliases = {alias for parameter in parameters for alias in parameter["aliases"].split(", ") if alias}
    assert {"learning_rate", "reg_lambda", "n_jobs"} <= aliases
    assert inventory(site)["std:confval"] == {parameter["name"] for parameter in parameters} | aliases


def test_no_parameter_is_repeated(site: Path) -> None:
    text = (site / "reference" / "parameters.html").read_text()
    assert text.count("share of the rows, 0 to 1, whose bins stay in host memory") == 1


def test_names_of_other_libraries_are_found(site: Path) -> None:
    """Somebody who searches for LightGBM's name finds the advice."""
    for page, words in (("parameters", ("num_leaves", "bagging_freq")), ("names", ("binary_logloss", "gpu_hist"))):
        text = (site / "reference" / f"{page}.html").read_text()
        for word in words:
            assert f'<span class="pre">{word}</span>' in text, word


def test_every_c_function_has_a_place(site: Path) -> None:
    code = re.sub(r"/\*.*?\*/", "", c_reference.HEADER.read_text(), flags=re.DOTALL)
    declared = set(re.findall(r"^KAURI_API\s[^;(]*?(\w+)\(", code, re.MULTILINE))
    assert len(declared) > 100
    assert inventory(site)["c:function"] == declared


def test_every_public_name_has_a_place(site: Path) -> None:
    known = inventory(site)
    names = {name.rsplit(".", 1)[-1] for role in ("py:class", "py:function") for name in known[role]}
    for module in python_reference.MODULES:
        assert set(importlib.import_module(module).__all__) - {"callback"} <= names
    assert {"kauriboost.booster.Booster.predict", "kauriboost.data.DMatrix.set_info"} <= known["py:method"]


def test_every_key_of_the_command_line_has_a_place(site: Path) -> None:
    text = (site / "reference" / "command-line.html").read_text()
    sections = help_reference.sections_of(help_reference.help_text())
    assert len(sections["Command line"]) > 25
    of_data = [entry for heading in sections if heading.startswith("Data keys of ") for entry in sections[heading]]
    assert {"label_column", "header", "indexing_mode"} <= {entry.name for entry in of_data}
    for entry in [*sections["Command line"], *of_data]:
        assert f'<span class="pre">{entry.name}</span>' in text, entry.name
    names = (site / "reference" / "names.html").read_text()
    for name in ("survival:aft", "ndcg-", "gblinear", "refresh", "exact"):
        assert f'<span class="pre">{name}</span>' in names


def test_pictures_are_shown(site: Path) -> None:
    drawn = [picture for source in pages.sources().values() for picture in pages.pictures(source)]
    assert len(drawn) >= 8
    for picture in drawn:
        assert (site / "_images" / picture).stat().st_size > 5000, picture


def test_pages_have_no_marks_left_over(site: Path) -> None:
    """No Markdown or reStructuredText markup is left over."""
    for path in site.rglob("*.html"):
        text = re.sub(r"<(pre|code|script)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", "", re.sub(r"<dt class=.sig.*?</dt>|<strong>.*?</strong>", "", text, flags=re.DOTALL))
        for mark in ("`", "{c:func}", "**", "]("):
            assert mark not in text, f"{path.name}: {mark}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](gpus.md#what-it-needs)", "[a](gpus.md#what-it-needs)"),
        ("[a](../../tests/benchmark/README.md#memory)", "[a](results.md)"),
        ("[a](../../python-package/README.md#beside-xgboost)", "[a](beside-xgboost.md)"),
        ("[a](../../CHANGELOG.md)", "[a](changes.md)"),
        ("[a](reference.md#c)", "[a](reference/c.md)"),
        ("[a](#there)", "[a](#there)"),
        ("[a](https://example.org/a.md)", "[a](https://example.org/a.md)"),
        ("![a](../pictures/tree.png)", "![a](pictures/tree.png)"),
        ("```sh\n[a](nowhere.md)\n```", "```sh\n[a](nowhere.md)\n```"),
    ],
)
def test_links_of_files_become_links_of_pages(tmp_path: Path, text: str, expected: str) -> None:
    page = pages.GUIDE / "made.md"  # a name beside existing files; nothing is written there
    source = type("Made", (pages.Source,), {"text": lambda self: text})(page)
    assert pages.staged(source, tmp_path) == expected


def test_a_link_to_nothing_is_an_error(tmp_path: Path) -> None:
    source = type("Made", (pages.Source,), {"text": lambda self: "[a](nowhere.md)"})(pages.GUIDE / "made.md")
    with pytest.raises(ValueError, match=r"made\.md: the link to nowhere\.md leads to no file"):
        pages.staged(source, tmp_path)
    with pytest.raises(ValueError, match="has no section 'Gone'"):
        pages.Source(ROOT / "README.md", "Gone").text()


def headings(path: Path) -> set[str]:
    text = pages.outside_of_code(path.read_text(encoding="utf-8"), lambda match: match.group())
    return {pages.anchor_of(title.strip()) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def test_links_between_files_of_the_project() -> None:
    """Check them as the repository shows them. The README counts, too, although it is not a page of the site."""
    dead = []
    for path in [*ROOT.glob("*.md"), *(file for folder in ("demo", "src", "tests", "python-package")
                                       for file in (ROOT / folder).rglob("*.md"))]:  # fmt: skip
        for match in pages.LINK.finditer(path.read_text(encoding="utf-8")):
            target = (path.parent / match["path"]).resolve() if match["path"] else path
            anchor = (match["anchor"] or "#")[1:]
            if not target.exists() or (anchor and target.suffix == ".md" and anchor not in headings(target)):
                dead.append(f"{path.relative_to(ROOT)}: {match['path']}{match['anchor'] or ''}")
    assert not dead
