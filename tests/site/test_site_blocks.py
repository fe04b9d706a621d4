"""All code blocks of the site, the README and the package's page run in the order of their page."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import blocks
import pytest
from pages import pages_to_run
from run_pages import run_pages

PAGES = pages_to_run()


@pytest.mark.parametrize("name", PAGES)
def test_page(ran: Path, name: str) -> None:
    log = (ran / f"{name}.log").read_text()
    done = re.findall(r"^(\S+:\d+) \(.*?\): (ran in|left out, needs|shown)", log, re.MULTILINE)
    asked = [f"{block.page.name}:{block.line}" for block in blocks.blocks_of(PAGES[name])]
    assert [place for place, _ in done] == asked, log[-4000:]


def test_pages_need_nothing_unknown_and_run_mostly() -> None:
    known = [block for page in PAGES.values() for block in blocks.blocks_of(page)]
    assert {block.needs for block in known} - {""} <= set(blocks.NEEDS)
    runnable = [block for block in known if block.language in {"python", "sh"}]
    for_people = {"minutes", "a network", "optuna", "PostgreSQL", "mlflow"}
    left_out = [str(block) for block in runnable if block.needs in for_people]
    assert len(runnable) > 120
    assert len(left_out) <= 9, left_out


def test_outputs_of_the_guide_are_shown(ran: Path) -> None:
    """A block of the guide that prints is followed by its output, and most of the outputs are short."""
    shown = [block for name in PAGES for block in blocks.blocks_of(PAGES[name]) if block.output is not None]
    assert len(shown) > 60
    long = [str(block) for block in shown if (block.output or "").count("\n") > blocks.MOST_LINES + 1]
    assert not long


def test_outputs_are_written_into_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(fenced(("python", "print(1)"), ("python", "print(2)"), ("output", "old"), ("python", "a = 3")))
    first, second, _, third = blocks.blocks_of(page)
    text = blocks.with_outputs(page.read_text(), {first: "1\n", second: "2\nseconds=3.5\n", third: ""})
    page.write_text(text)
    assert [block.output for block in blocks.blocks_of(page)][::2] == ["1\n", "2\nseconds=...\n", None]
    assert blocks.shortened("\n".join("abcdefghijklmnopqrstuvwxyz")).split("\n")[10:] == [
        "k",
        "l",
        "...",
        "x",
        "y",
        "z",
    ]


def outcome(folder: Path, text: str) -> tuple[bool, str]:
    """Return whether a page's blocks run, and their messages."""
    page = folder / "page.md"
    page.write_text(text)
    (folder / "out").mkdir()
    failed = run_pages(folder / "out", [str(page)])
    return not failed, (folder / "out" / "page.log").read_text()


def fenced(*codes: tuple[str, str]) -> str:
    """Return a page with these blocks; an "output" stands right after the block that it belongs to."""
    return "\n".join(f"text\n\n```{language}\n{code}\n```" for language, code in codes).replace(
        "text\n\n```output", "\n```text"
    )


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ([("python", "a = 1"), ("python", "assert a == 2")], 'page.md", line 9, in <module>'),
        ([("python", "import numpy"), ("python", "np.zeros(3)")], "name 'np' is not defined"),
        ([("sh", "false | true")], "page.md:4 (sh) ended with 1"),
        ([("sh", 'echo "$NOT_SET_ANYWHERE"')], "unbound variable"),
        ([("c", "int unused;")], "unused variable"),
        ([("c", "#include <kauri/c_api.h>\nreturn XGBoosterFree(NULL) == 0;")], ""),
        ([("cpp", "int main() {}")], "is no excerpt of a file"),
        ([("", "something")], "name a language"),
        ([("python", "print(1)"), ("output", "1")], ""),
        ([("python", "print(1)"), ("output", "2")], "page.md:4 (python): the page shows another output"),
        ([("sh", "echo 1"), ("output", "2")], "+1"),
        ([("python", "print('in 5 s')"), ("output", "in ... s")], ""),
        ([("python", "print('a\\nb\\nc')"), ("output", "a\n...\nc")], ""),
        ([("python", "print('a\\nb\\nc')"), ("output", "a\n...\nd")], "-d"),
        ([("python", "print('a')"), ("output", "a\n...")], ""),
    ],
)
def test_a_wrong_block_fails(tmp_path: Path, codes: list[tuple[str, str]], message: str) -> None:
    is_fine, log = outcome(tmp_path, fenced(*codes))
    assert is_fine is (message == ""), log
    assert message in log


def test_blocks_share_names_and_a_folder(tmp_path: Path) -> None:
    codes = [
        ("python", "import pickle\nclass Kept: pass\nwith open('kept', 'wb') as file: pickle.dump(Kept(), file)"),
        ("sh", "test -s kept && kauri --version > version.txt && test -f demo/data/README.md"),
        ("python", "assert open('version.txt').read().startswith('kauri ')\nassert __name__ == '__main__'"),
        ("text", "not run"),
    ]
    is_fine, log = outcome(tmp_path, fenced(*codes))
    assert is_fine, log
    assert log.count("ran in") == 3
    assert "page.md:22 (text): shown" in log


def test_blocks_change_nothing_outside_of_their_folder(tmp_path: Path) -> None:
    codes = [
        ("sh", "echo new > build/written_by_a_page && test -x build/bin/kauri"),
        ("sh", "python -m pip config list | grep -F \":env:.target='$PWD/pip'\""),
    ]
    is_fine, log = outcome(tmp_path, fenced(*codes))
    assert is_fine, log
    assert (tmp_path / "out" / "page" / "build" / "written_by_a_page").is_file()
    assert not (blocks.BUILD / "written_by_a_page").exists()


def test_other_processes_of_the_caller_are_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen(["sh", "-c", "exit 3"]) as other:
        assert outcome(tmp_path, fenced(("sh", "sleep 0.5")))[0]
        assert other.wait() == 3


def test_what_needs_something_is_parsed(tmp_path: Path) -> None:
    page = "<!-- needs: minutes -->\n```{}\n{}\n```\n"
    assert outcome(tmp_path, page.format("python", "raise OSError"))[0]
    for name, text in (("python", "def"), ("sh", "if")):
        folder = tmp_path / name
        folder.mkdir()
        assert not outcome(folder, page.format(name, text))[0]
    folder = tmp_path / "unknown"
    folder.mkdir()
    assert "KeyError: 'luck'" in outcome(folder, page.replace("minutes", "luck").format("sh", "true"))[1]


def test_an_excerpt_follows_its_file(tmp_path: Path) -> None:
    told = "<!-- from: plugin/example/log_cosh.cc -->\n```cpp\nstd::string Name() const override { return %s; }\n```\n"
    assert "return kName;" in (blocks.ROOT / "plugin" / "example" / "log_cosh.cc").read_text()
    assert outcome(tmp_path, told % "kName")[0]
    (tmp_path / "changed").mkdir()
    assert not outcome(tmp_path / "changed", told % "kOther")[0]
