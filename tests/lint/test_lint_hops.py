"""The call chains in src/README.md match the code and their maximum lengths.

A chain is a list below a heading that states its maximum length. The part on a device is a second list below the line
"On the device:". Each item is a function and the file that defines it:

    ### Training on the GPU: at most 10 hops, and 3 on the device

    1. `XGBoosterUpdateOneIter` (c_api/booster_train.cc)
    2. `Learner::BoostRound` (booster/learner_rounds.cc)

Files are relative to src/ or plugin/. The body of each function calls the next one (calls.py): a call of a function of
that name of another class does not count, nor one with the arguments of another overload, nor a word in a comment. A
name has its class before it, and the types of its parameters behind it if the file defines several functions of that
name. The guard of a C call, a lambda and ParallelFor are not hops; overloads and the defaults of base classes are. The
rest of an item says how a call reaches the function:

    3. `GbTree::BoostRound` (booster/boosters/gbtree.cc), called as `Booster::BoostRound`
    4. `ForEachPart` (cuda/predictor/device_group.cc), which calls back
    5. `WalkRows` (predictor/shap/quadrature_kernel.cc), chosen by `ChooseWalk`

The first is virtual: the class derives from the base, which declares the function virtual. The second calls a function
that its caller has passed, so the call of the next item is in the caller. The third is an instance of a template, or a
kernel, that other functions of the file select; these are not hops.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

import calls
import pytest
from calls import Target, bases_of, calls_a_parameter, chooses, class_text
from functions import Function, functions_of
from lint_sources import COMMENT_OR_STRING, ROOT

PAGE = ROOT / "src" / "README.md"
HEADING = re.compile(r"^### (.+): at most (\d+) hops(?:, and (\d+) on the device)?$")
ITEM = re.compile(
    r"^\d+\. `(?P<function>[\w:~]+)(?:\((?P<parameters>[^`]*)\))?` \((?P<file>[\w/.]+)\)"
    r"(?:, called as `(?P<base>\w+)::\w+`)?(?P<back>, which calls back)?"
    r"(?:, chosen by (?P<choosers>(?:`\w+`(?:, )?)+))?$"
)
BUDGETS = {
    "Training on the CPU": (10, 0),
    "Training on the GPU with exact": (10, 3),
    "Training on the GPU with hist": (10, 3),
    "Training on the GPU with hist, decided by the host": (10, 0),
    "Predictions": (7, 0),
    "Contributions on the CPU": (10, 0),
    "Contributions on the GPU": (10, 3),
}


@dataclass
class Hop:
    """One function of a chain, and how the function before it calls it."""

    function: str
    file: str
    parameters: str | None = None  # types, if the name is overloaded in the file
    base: str = ""  # the class whose virtual function is called
    calls_back: bool = False
    choosers: list[str] = field(default_factory=list)


@dataclass
class Chain:
    """One list of the page."""

    name: str
    budget: tuple[int, int]
    host: list[Hop] = field(default_factory=list)
    device: list[Hop] = field(default_factory=list)


@dataclass
class Definition:
    """A function of a file, with its text."""

    function: Function
    text: str  # head and body
    parameters: str


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
        elif hops is not None and re.match(r"\d+\. ", line):
            match = ITEM.match(line)
            assert match, f"{PAGE.name}: not an item of a chain: {line}"
            choosers = re.findall(r"\w+", match["choosers"] or "")
            hops.append(
                Hop(
                    match["function"],
                    match["file"],
                    match["parameters"],
                    match["base"] or "",
                    bool(match["back"]),
                    choosers,
                )
            )
    return found


def text_of(file: str) -> str | None:
    """Return a file's text without comments and strings; None if there is no such file."""
    path = next((ROOT / root / file for root in ("src", "plugin") if (ROOT / root / file).is_file()), None)
    return None if path is None else without_comments(path.read_text(encoding="utf-8"))


def without_comments(text: str) -> str:
    return COMMENT_OR_STRING.sub(lambda match: "\n" * match.group().count("\n"), text)


def definitions(function: str, text: str) -> list[Definition]:
    """Return the functions of exactly this name, overloads included."""
    lines = text.split("\n")
    found = []
    for one in functions_of(text, ""):
        if one.name != function:
            continue
        own = "\n".join(lines[one.line - 1 : one.line - 1 + one.length])
        head = own[own.index(function.rpartition("::")[2]) : own.index("{")]
        found.append(
            Definition(one, own, " ".join(re.sub(r"\s*\b\w+\s*(?=[,)])", "", head[head.index("(") :]).split()))
        )
    return found


def has_types(definition: Definition, parameters: str) -> bool:
    """Return whether the parameters have these types, which may be shortened to the last name of each."""
    inside = definition.parameters[1 : definition.parameters.rfind(")")]
    own = [re.findall(r"\w+", one) for one in inside.split(",")]
    wanted = [re.findall(r"\w+", one) for one in parameters.split(",")]
    return len(own) == len(wanted) and all(set(words) <= set(names) for words, names in zip(wanted, own, strict=True))


def find(hop: Hop) -> Definition | str:
    """Return the function of an item, or what is wrong with the item."""
    text = text_of(hop.file)
    found = [] if text is None else definitions(hop.function, text)
    if not found:
        return f"{hop.file} defines no {hop.function}: name the function that took its place"
    if hop.parameters is not None:
        found = [one for one in found if has_types(one, hop.parameters)]
    if len(found) == 1:
        return found[0]
    name = f"{hop.function}({hop.parameters or ''})"
    return f"{hop.file} has {len(found)} functions {name}: say the parameters' types of one"


def target_of(hop: Hop, definition: Definition) -> Target:
    """Return what a call of the function looks like. Parameters may have defaults where no overload takes fewer."""
    owner, _, name = hop.function.rpartition("::")
    n_parameters = definition.function.n_parameters
    overloads = {one.function.n_parameters for one in definitions(hop.function, text_of(hop.file) or "")}
    declared = class_text(owner) if owner else calls.library()
    default = re.search(rf"\b{name}\s*\([^;{{]*=[^;{{]*\)\s*(?:const)?\s*;", declared)
    least = max([n for n in overloads if n < n_parameters], default=-1) + 1 if default else n_parameters
    return Target(owner, name, hop.base, n_parameters, least)


def problems_of_base(hop: Hop) -> list[str]:
    owner, _, name = hop.function.rpartition("::")
    if not hop.base:
        return []
    if hop.base not in bases_of(owner):
        return [f"{owner} does not derive from {hop.base}"]
    if re.search(rf"\bvirtual\b[^;{{}}]*\b{name}\s*\(", class_text(hop.base)):
        return []
    return [f"{hop.base} declares no virtual {name}"]


def calls_next(callers: list[tuple[Hop, Definition]], hop: Hop, definition: Definition | str) -> bool:
    """Return whether the last of the callers calls the function; one that calls back leaves it to the one before.

    Of a function without definition, the name is all that can be compared."""
    caller, own = callers[-1]
    if isinstance(definition, str):
        return chooses(own.text, [*hop.choosers, hop.function.rpartition("::")[2]][0])
    if caller.calls_back:
        return calls_a_parameter(own.text) and calls_next(callers[:-1], hop, definition)
    if not hop.choosers:
        return calls.calls(own.text, target_of(hop, definition), caller.function)
    text = text_of(hop.file) or ""
    names = [*hop.choosers, hop.function.rpartition("::")[2]]
    selections = [[one.text for one in definitions(chooser, text)] for chooser in hop.choosers]
    return chooses(own.text, names[0]) and all(
        any(chooses(one, following) for one in bodies) for bodies, following in zip(selections, names[1:], strict=True)
    )


def problems_of(chain: Chain) -> list[str]:
    found = []
    for hops, budget in zip((chain.host, chain.device), chain.budget, strict=True):
        if len(hops) > budget:
            found.append(f"{len(hops)} hops of at most {budget}: join two functions, or leave out what only forwards")
    callers: list[tuple[Hop, Definition]] = []
    for hop in chain.host + chain.device:
        definition = find(hop)
        found += problems_of_base(hop)
        if callers and not calls_next(callers, hop, definition):
            before = callers[-1][0]
            found.append(f"{before.function} ({before.file}) does not call {hop.function}: a hop is missing or wrong")
        if isinstance(definition, str):
            found.append(definition)
            callers = []
        else:
            callers.append((hop, definition))
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
    assert "FormatOf (data_from_uri.cc) does not call ReadToFile" in not_next
    assert "does not call NoSuchFunction" in not_following
    assert "defines no NoSuchFunction" in missing


FILES = {
    "engine.h": """
struct Engine {
  virtual int Build(int rows) { return BuildOne(rows); }
  virtual int BuildOne(int rows) = 0;
};
struct Other { int Build(int rows); };
class OwnEngine : public Engine {
 public:
  int Build(int rows) override { return Add(rows); }
  int Add(int rows) { return AddHere(rows, 1); }
};
""",
    "learner.cc": """
int Round(Engine* engine) { return engine->Build(1); }
int RoundOfOther(Other* engine) { return engine->Build(1); }  // Engine::Build
int RoundInWords(Engine* engine) { /* engine->Build(1) */ return Count("engine->Build(1)"); }
int RoundWithTwo(Engine* engine) { return engine->Build(1, 2); }
int Quiet(int rows) { return rows; }
int Quiet(int rows, float scale) { return AddHere(rows, scale); }
int ByPointer(int rows) { auto const add = rows > 1 ? AddHere<1> : AddHere<2>; return add(rows); }
int Named(int rows) { auto const add = AddHere<1>; return rows; }
template <typename Work> int ForEach(int rows, Work const& work) { return work(rows); }
int OfAll(Engine* engine) { return ForEach(2, [&](int rows) { return engine->Build(rows); }); }
int OfNone(Engine* engine) { return ForEach(2, [&](int rows) { return rows; }); }
int AddHere(int rows, float scale) { return rows; }
""",
}
CACHED = (calls.spread_library, calls.class_heads, calls.bases_of, calls.class_text)


@pytest.fixture
def own_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets the checks read FILES instead of the library."""
    texts = {name: without_comments(text) for name, text in FILES.items()}
    cached = (*CACHED, calls.types_in_library)
    monkeypatch.setattr(calls, "library", lambda: "\n".join(texts.values()))
    monkeypatch.setattr(sys.modules[__name__], "text_of", texts.get)
    for one in cached:
        one.cache_clear()
    yield
    for one in cached:
        one.cache_clear()


def problems_of_items(*items: str) -> list[str]:
    page = "\n".join(["### Own: at most 3 hops", *(f"1. {item}" for item in items)])
    return problems_of(chains_of(page)[0])


BUILD = "`OwnEngine::Build` (engine.h), called as `Engine::Build`"


@pytest.mark.usefixtures("own_files")
def test_a_call_counts_where_its_class_is_the_targets() -> None:
    assert problems_of_items("`Round` (learner.cc)", BUILD, "`OwnEngine::Add` (engine.h)") == []
    assert problems_of_items("`OwnEngine::Add` (engine.h)", "`AddHere` (learner.cc)") == []
    for caller in ("RoundOfOther", "RoundInWords", "RoundWithTwo"):
        (problem,) = problems_of_items(f"`{caller}` (learner.cc)", BUILD)
        assert f"{caller} (learner.cc) does not call OwnEngine::Build" in problem


@pytest.mark.usefixtures("own_files")
def test_a_virtual_call_names_the_base() -> None:
    (unnamed,) = problems_of_items("`Round` (learner.cc)", "`OwnEngine::Build` (engine.h)")
    assert "Round (learner.cc) does not call OwnEngine::Build" in unnamed
    foreign = problems_of_items("`Round` (learner.cc)", "`OwnEngine::Build` (engine.h), called as `Other::Build`")
    assert "OwnEngine does not derive from Other" in foreign[0]
    not_virtual = problems_of_items("`OwnEngine::Add` (engine.h), called as `Engine::Add`")
    assert "Engine declares no virtual Add" in not_virtual[0]


@pytest.mark.usefixtures("own_files")
def test_a_default_of_the_base_class_is_a_hop() -> None:
    (missing,) = problems_of_items("`Engine::Build` (engine.h)", "`OwnEngine::Add` (engine.h)")
    assert "Engine::Build (engine.h) does not call OwnEngine::Add" in missing


@pytest.mark.usefixtures("own_files")
def test_an_overload_is_told_by_its_parameters() -> None:
    (unclear,) = problems_of_items("`Quiet` (learner.cc)")
    assert "has 2 functions Quiet(): say the parameters' types of one" in unclear
    assert problems_of_items("`Quiet(int, float)` (learner.cc)", "`AddHere` (learner.cc)") == []
    (other,) = problems_of_items("`Quiet(int)` (learner.cc)", "`AddHere` (learner.cc)")
    assert "Quiet (learner.cc) does not call AddHere" in other


@pytest.mark.usefixtures("own_files")
def test_pointers_and_functions_that_callers_pass() -> None:
    assert problems_of_items("`ByPointer` (learner.cc)", "`AddHere` (learner.cc)") == []
    (unused,) = problems_of_items("`Named` (learner.cc)", "`AddHere` (learner.cc)")
    assert "Named (learner.cc) does not call AddHere" in unused
    for_each = "`ForEach` (learner.cc), which calls back"
    assert problems_of_items("`OfAll` (learner.cc)", for_each, BUILD) == []
    (nothing,) = problems_of_items("`OfNone` (learner.cc)", for_each, BUILD)
    assert "ForEach (learner.cc) does not call OwnEngine::Build" in nothing
