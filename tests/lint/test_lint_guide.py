"""Pages of the guide are written in plain English: short sentences that name what they speak of.

Checked over the prose of all pages in demo, of README.md and CHANGELOG.md: no code, tables, headings or links' targets.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lint_sources import ROOT
from test_lint_words import MOST_PRONOUNS, PRONOUN_OF

PAGES = [*sorted((ROOT / "demo").rglob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
MEAN_WORDS = 20  # of the sentences of one page, at most
MOST_WORDS = 60  # of one sentence
LEFT_OUT = re.compile(
    r"<!--.*?-->|^ *(?:`{3,}|:{3,}).*?^ *(?:`{3,}|:{3,}) *$|^#.*?$|^ *\|.*?$", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)]*\)", re.DOTALL)
ITEM = re.compile(r"\n\s*\n(?:\s*(?:[-*]|\d+\.) +)?|\n\s*(?:[-*]|\d+\.) +")
END = re.compile(r"(?<=[.!?:;])[)\"*]* +(?=[\"*(`\[]*[A-Z`*])")
# Words of translations, and the field's terms in their place.
HOME_MADE = {
    "learnt by heart": "memorised",
    "drawn trees": "trees with random thresholds",
    "dialect ... what": "file format",
    "groups of ranks": "several workers",
    "has no words for": "cannot express",
    "they say nothing of": "they do not cover",
    "told by its share": "estimated from its share",
    "has no place of its own": "is not sorted by its own value",
    "that the control group's quota pays for": "that the container's quota allows",
    "few rows in what matters": "few rows that matter",
    "noise times it": "scales noise alike",
}


def prose(text: str) -> str:
    """Return the text of a page without code, tables, headings and targets of links."""
    return LINK.sub(r"\1", LEFT_OUT.sub("\n\n", text)).replace("**", "")


def sentences(text: str) -> list[list[str]]:
    """Return the words of every sentence; an item of a list ends one."""
    parts = [" ".join(part.split()) for part in ITEM.split(prose(text))]
    found = [sentence.split() for part in parts for sentence in END.split(part)]
    return [words for words in found if len(words) > 1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_sentences_are_short(page: Path) -> None:
    found = sentences(page.read_text(encoding="utf-8"))
    mean = sum(map(len, found)) / max(len(found), 1)
    longest = max(found, key=len)
    assert mean < MEAN_WORDS, f"{mean:.1f} words a sentence; the longest: {' '.join(longest)}"
    assert len(longest) <= MOST_WORDS, " ".join(longest)


def test_rate_of_pronouns() -> None:
    """The rate is the comments' rate of test_lint_words.py, over all pages together."""
    texts = {page: prose(page.read_text(encoding="utf-8")) for page in PAGES}
    words = sum(len(text.split()) for text in texts.values())
    found = [
        f"{page.name}: {text[max(0, match.start() - 30) : match.end() + 30]!r}"
        for page, text in texts.items()
        for match in PRONOUN_OF.finditer(text)
    ]
    assert words > 10_000
    assert len(found) <= MOST_PRONOUNS * words / 1000, found


def test_terms_of_the_field() -> None:
    """Terms that people search for occur, and home-made ones do not."""
    texts = {page.name: " ".join(prose(page.read_text(encoding="utf-8")).split()) for page in PAGES}
    used = [
        f"{name}: {term}, say: {HOME_MADE[term]}" for name, text in texts.items() for term in HOME_MADE if term in text
    ]
    assert not used
    whole = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    for term in ("hyperparameter", "GridSearchCV", "Optuna", "mbalance", "ONNX", "Jupyter", "log-odds", "deploy",
                 "production", "Frequently asked questions"):  # fmt: skip
        assert term.lower() in whole.lower(), term


def test_what_is_a_sentence() -> None:
    text = (
        "# A title\n\nOne [two\nthree](a.md). Four `a.b` five:\n\n- Six seven.\n- Eight nine\n\n"
        "```sh\ncode here\n```\n\n| a | b |\n"
    )
    assert sentences(text) == [
        ["One", "two", "three."],
        ["Four", "`a.b`", "five:"],
        ["Six", "seven."],
        ["Eight", "nine"],
    ]
