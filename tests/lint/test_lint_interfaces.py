"""Each cell of the guide's table of rules and interfaces has a test, which exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "demo/guide/checks.md"
TESTS = ROOT / "tests/interfaces.md"


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of all lines of tables, apart from lines of dashes."""
    lines = [line.strip()[1:-1].split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines if set("".join(line)) - set("- ")]


def cells_with_a_rule(text: str) -> set[tuple[str, str]]:
    """Return (rule, interface) of each cell that says yes, of rules whose name is in bold."""
    rows = rows_of(text)
    interfaces = rows[0][1:]
    named = [(re.match(r"\*\*(.+?)\*\*", row[0]), row[1:]) for row in rows]
    return {
        (rule[1], interface)
        for rule, cells in named
        if rule
        for interface, cell in zip(interfaces, cells)
        if cell == "yes"
    }


def has_test(path: Path, name: str) -> bool:
    """Return whether a file of tests has a test: a function of Python, or Suite.Name of GoogleTest."""
    if not path.is_file():
        return False
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return re.search(rf"^def {re.escape(name)}\(", text, re.MULTILINE) is not None
    suite, _, test = name.partition(".")
    return re.search(rf"^TEST(_F|_P)?\({suite}, {test}\)", text, re.MULTILINE) is not None


def problems_of(rules: str, tests: str, root: Path = ROOT) -> list[str]:
    """Return what is wrong with the two pages."""
    wanted = cells_with_a_rule(rules)
    tested = {(rule, interface): test for rule, interface, test in rows_of(tests)[1:]}
    problems = [f"{rule}, {interface}: no test" for rule, interface in sorted(wanted - set(tested))]
    problems += [f"{rule}, {interface}: not in the guide" for rule, interface in sorted(set(tested) - wanted)]
    for (rule, interface), test in tested.items():
        found = re.fullmatch(r"`(\S+)` `(\S+)`", test)
        if found is None or not has_test(root / found[1], found[2]):
            problems.append(f"{rule}, {interface}: there is no test {test}")
    return problems


def test_each_cell_has_a_test_that_exists() -> None:
    assert len(cells_with_a_rule(RULES.read_text(encoding="utf-8"))) > 50
    assert problems_of(RULES.read_text(encoding="utf-8"), TESTS.read_text(encoding="utf-8")) == []


def test_missing_and_wrong_tests_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def test_one() -> None: ...\n")
    (tmp_path / "b.cc").write_text("TEST_F(Suite, One) {\n")
    rules = "| rule | C | Python |\n|---|---|---|\n| **x**: a rule | yes | yes |\n| **y**: b | | yes |\n| z | yes | |\n"
    head = "| rule | interface | test |\n|---|---|---|\n"
    lines = [
        "| x | C | `b.cc` `Suite.One` |",
        "| x | Python | `a.py` `test_one` |",
        "| y | Python | `a.py` `test_one` |",
    ]
    assert problems_of(rules, head + "\n".join(lines), tmp_path) == []
    assert problems_of(rules, head + "\n".join(lines[:2]), tmp_path) == ["y, Python: no test"]
    assert problems_of(rules, head + "\n".join([*lines, "| y | C | `a.py` `test_one` |"]), tmp_path) == [
        "y, C: not in the guide"
    ]
    for wrong in ("`a.py` `test_on`", "`b.cc` `Suite.Two`", "`c.py` `test_one`", "a.py"):
        changed = head + "\n".join([*lines[:2], f"| y | Python | {wrong} |"])
        assert problems_of(rules, changed, tmp_path) == [f"y, Python: there is no test {wrong}"]
