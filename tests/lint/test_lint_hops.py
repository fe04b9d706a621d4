"""The call chains in src/README.md match the code and their maximum lengths.

A chain is a list below a heading that states its maximum length. The part on a device is a second list below the line
"On the device:". Each item is a function and the file that defines it:

    ### Training on the GPU: at most 10 hops, and 3 on the device

    1. `XGBoosterUpdateOneIter` (c_api/booster_train.cc)
    2. `Learner::BoostRound` (booster/learner_rounds.cc)

Files are relative to src/ or plugin/. The body of a function names the next one of its chain, as a call, an object or a
kernel to launch. The guard of a C call, a lambda and ParallelFor are not hops. Functions that select an instance of a
template to call are not hops either; they follow it on the same line and are in the same file:

    3. `WalkRows` (predictor/shap/quadrature_kernel.cc), chosen by `ChooseWalk`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest
from functions import Function, functions_of
from lint_sources import COMMENT_OR_STRING, ROOT

PAGE = ROOT / "src" / "README.md"
HEADING = re.compile(r"^### (.+): at most (\d+) hops(?:, and (\d+) on the device)?$")
ITEM = re.compile(r"^\d+\. `([\w:~]+)` \(([\w/.]+)\)(?:, chosen by ((?:`\w+`(?:, )?)+))?$")
BUDGETS = {
    "Training on the CPU": (10, 0),
    "Training on the GPU": (10, 3),
    "Predictions": (7, 0),
    "Contributions on the CPU": (10, 0),
    "Contributions on the GPU": (9, 3),
}


@dataclass
class Hop:
    """One function of a chain, and the function that selects it among others."""

    function: str
    file: str
    choosers: list[str] = field(default_factory=list)


@dataclass
class Chain:
    """One list of the page."""

    name: str
    budget: tuple[int, int]
    host: list[Hop] = field(default_factory=list)
    device: list[Hop] = field(default_factory=list)


def chains_of(page: str) -> list[Chain]:
    found: list[Chain] = []
    hops: list[Hop] | None = None
    for line in page.split("\n"):
        if match := HEADING.match(line):
            found.append(Chain(match[1], (int(match[2]), int(match[3] or 0))))
            hops = found[-1].host
        elif line.startswith("#"):
            hops = None
        elif line == "On the device:" and found:
            hops = found[-1].device
        elif hops is not None and (match := ITEM.match(line)):
            hops.append(Hop(match[1], match[2], re.findall(r"\w+", match[3] or "")))
    return found


def definitions(function: str, file: str) -> tuple[list[Function], list[str]]:
    """Return the functions of that name in a file, including overloads, and the file's lines without comments."""
    path = next((ROOT / root / file for root in ("src", "plugin") if (ROOT / root / file).is_file()), None)
    if path is None:
        return [], []
    text = COMMENT_OR_STRING.sub(lambda match: "\n" * match.group().count("\n"), path.read_text(encoding="utf-8"))
    wanted = re.compile(rf"(?:^|::){re.escape(function)}$")
    return [found for found in functions_of(text, file) if wanted.search(found.name)], text.split("\n")


def problems_of(chain: Chain) -> list[str]:
    found = []
    for hops, budget in zip((chain.host, chain.device), chain.budget, strict=True):
        if len(hops) > budget:
            found.append(f"{len(hops)} hops of at most {budget}: join two functions, or leave out what only forwards")
    calls: list[tuple[str, str]] = []  # each function names the next one
    for hop in chain.host + chain.device:
        calls += [(name, hop.file) for name in [*hop.choosers, hop.function]]
    for (function, file), (following, _) in zip(calls, [*calls[1:], ("", "")], strict=True):
        own, lines = definitions(function, file)
        if not own:
            found.append(f"{file} defines no {function}: name the function that took its place")
            continue
        name = following.split("::")[-1]
        bodies = ("\n".join(lines[one.line - 1 : one.line - 1 + one.length]) for one in own)
        if name and not any(re.search(rf"\b{name}\b", body) for body in bodies):
            found.append(f"{function} ({file}) does not name {name}: a hop is missing or wrong")
    return [f"{chain.name}: {problem}" for problem in found]


def test_every_chain_stands_with_its_budget() -> None:
    assert {chain.name: chain.budget for chain in chains_of(PAGE.read_text(encoding="utf-8"))} == BUDGETS


@pytest.mark.parametrize("name", BUDGETS)
def test_chain(name: str) -> None:
    (chain,) = (chain for chain in chains_of(PAGE.read_text(encoding="utf-8")) if chain.name == name)
    assert chain.host, f"{PAGE.name} does not say the chain"
    problems = problems_of(chain)
    assert not problems, "\n".join(problems)


PAGE_OF_THREE = """
### One: at most 2 hops, and 1 on the device

1. `ReadUri` (data_from_uri.cc)
2. `FormatOf` (data_from_uri.cc)

On the device:

1. `IsBinary` (data/file/binary_reader.cc)

### Chosen: at most 2 hops

1. `ReadUri` (data_from_uri.cc)
2. `Quoted` (data_from_uri.cc), chosen by `FormatOf`

### Two: at most 1 hops

1. `FormatOf` (data_from_uri.cc)
2. `ReadToFile` (data_from_uri.cc)
3. `NoSuchFunction` (data_from_uri.cc)

## Another heading

1. `Nothing` (of/a/chain.cc)
"""


def test_chains_are_read_and_checked() -> None:
    one, chosen, two = chains_of(PAGE_OF_THREE)
    assert (one.budget, len(one.host), len(one.device)) == ((2, 1), 2, 1)
    assert problems_of(one) == []
    assert [hop.choosers for hop in chosen.host] == [[], ["FormatOf"]]
    assert problems_of(chosen) == ["Chosen: data_from_uri.cc defines no Quoted: name the function that took its place"]
    assert len(two.host) == 3
    over, not_next, not_following, missing = problems_of(two)
    assert "3 hops of at most 1" in over
    assert "FormatOf (data_from_uri.cc) does not name ReadToFile" in not_next
    assert "does not name NoSuchFunction" in not_following
    assert "defines no NoSuchFunction" in missing
