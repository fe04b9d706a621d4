"""Calls in C++ texts: which class a call goes to, and with how many arguments. For test_lint_hops.py.

A class is known by what the texts declare: a local, a parameter, a member or a function with the receiver's name, whose
type names the class. Templates' arguments and namespaces are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from lint_sources import code_of, cpp_files

CLASS_HEAD = re.compile(r"\b(?:class|struct)\s+(\w+)\s*(?:final\s*)?(?::\s*([^{;:][^{;]*))?\{")
TEMPLATE_ARGUMENTS = re.compile(r"(?<=\w)<[\w:&*,.\s\[\]]*>")
NO_TYPES = {"return", "else", "new", "delete", "case", "throw", "operator"}
CLOSING = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Target:
    """A function that is called."""

    owner: str  # its class, or "" for a free function
    name: str
    base: str = ""  # the class whose virtual function the call names, if another
    n_parameters: int = 0
    least_arguments: int = 0  # below n_parameters if the last parameters have defaults


def plain(text: str) -> str:
    """Return the text without arguments of templates."""
    before = None
    while before != text:
        before, text = text, TEMPLATE_ARGUMENTS.sub("", text)
    return text


def spread(text: str) -> str:
    """Return the text with arguments of templates as words behind the template's name."""
    before = None
    while before != text:
        before, text = text, TEMPLATE_ARGUMENTS.sub(lambda match: re.sub(r"[<>,]", " ", match.group()), text)
    return text


@cache
def library() -> str:
    return "\n".join(code_of(path) for path in cpp_files("include", "src", "plugin"))


@cache
def spread_library() -> str:
    return spread(library())


@cache
def class_heads() -> dict[str, list[tuple[list[str], int]]]:
    """Return by name of a class the bases of each class of that name, and where its body begins in spread_library().

    Arguments of a base that is a template count as bases, because mixins derive from theirs."""
    found: dict[str, list[tuple[list[str], int]]] = {}
    for head in CLASS_HEAD.finditer(spread_library()):
        bases = [word for word in re.findall(r"\w+", head[2] or "") if word not in {"public", "private", "protected"}]
        found.setdefault(head[1], []).append((bases, head.end()))
    return found


@cache
def bases_of(owner: str) -> frozenset[str]:
    """Return the classes that `owner` derives from, and itself."""
    found = {owner}
    for bases, _ in class_heads().get(owner, []):
        for base in bases:
            found |= bases_of(base) if base != owner else set()
    return frozenset(found)


@cache
def class_text(owner: str) -> str:
    """Return the definitions of all classes of a name, without the bodies of functions within them."""
    text, kept = spread_library(), []
    for _, begin in class_heads().get(owner, []):
        depth = 1
        for part in re.finditer(r"[{}]|[^{}]+", text[begin:]):
            depth += (part.group() == "{") - (part.group() == "}")
            if depth == 0:
                break
            if depth == 1:
                kept.append(part.group())
    return "".join(kept)


def matching(text: str, at: int) -> int:
    """Return the place of the bracket that the closing bracket at `at` ends, or -1."""
    open_brackets = 0
    for place in range(at, -1, -1):
        open_brackets += (text[place] in CLOSING) - (text[place] in CLOSING.values())
        if open_brackets == 0:
            return place
    return -1


def arguments_at(text: str, at: int) -> int:
    """Return the number of arguments in the brackets that begin at `at`."""
    depth, count, is_empty = 0, 1, True
    for letter in text[at:]:
        depth += (letter in CLOSING.values()) - (letter in CLOSING)
        if depth == 0:
            break
        is_empty = is_empty and (letter in "(" or letter.isspace())
        count += letter == "," and depth == 1
    return 0 if is_empty else count


def types_of(name: str, texts: list[str]) -> frozenset[str]:
    """Return the words in the types with which the first text that declares a name, or else the library, declares it.

    The type of an `auto` is that of the last name in its initialiser, wherever the library declares it. A class that
    stands for a pointer has the type that its operator returns as well."""
    for text in texts:
        found: set[str] = set()
        for match in re.finditer(rf"\b{name}\b(?=\s*[;=,){{(\[:])", text):
            words = set(type_before(text, match.start()))
            if "auto" in words:
                value = re.match(r"\s*[=:]\s*([^;]*)", text[match.end() :])
                names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\([^()]*\)", "", value[1])) if value else []
                words = set(types_in_library(names[-1])) if names else set()
            found |= words
        if found:
            return frozenset(found).union(*(re.findall(r"(\w+)\s*\*\s*operator->", class_text(word)) for word in found))
    return types_in_library(name)


@cache
def types_in_library(name: str) -> frozenset[str]:
    places = re.finditer(rf"\b{name}\b(?=\s*[;=,){{(\[])", spread_library())
    return frozenset(word for place in places for word in type_before(spread_library(), place.start()))


def type_before(text: str, at: int) -> list[str]:
    """Return the words of the type before a name, or nothing if there is none."""
    before = re.split(r"[;{}(),]", text[max(0, at - 200) : at])[-1]
    match = re.fullmatch(r"\s*((?:[\w:]+[&*\s]+)+)(?:\w+::)*", before)
    words = re.findall(r"\w+", match[1]) if match else []
    return [] if set(words) & NO_TYPES else words


def receiver(text: str, at: int) -> tuple[str, str]:
    """Return how a call whose name begins at `at` begins: "." with the receiver's name, "::" with the class, or ""."""
    before = text[:at].rstrip()
    if before.endswith("::"):
        qualifier = re.search(r"(\w+)::$", before)
        return "::", qualifier[1] if qualifier else ""
    if not before.endswith((".", "->")):
        return "", ""
    before = before.removesuffix(".").removesuffix("->").rstrip()
    while before.endswith((")", "]")):
        before = before[: matching(before, len(before) - 1)].rstrip()
    name = re.search(r"(\w+)$", before)
    return ".", name[1] if name else ""


def is_definition(text: str, at: int) -> bool:
    """Return whether the name at `at` follows a type, as in a declaration."""
    before = re.search(r"(\w+)[&*\s]+$", text[:at])
    return before is not None and before[1] not in {"return", "else", "throw", "and", "or", "not", "case"}


def goes_to(target: Target, caller: str, body: str, at: int) -> bool:
    """Return whether the call at `at` of plain(body) goes to the target's class. caller: the function that calls."""
    text = plain(body)
    kind, name = receiver(text, at)
    wanted = target.base or target.owner
    owners = bases_of(caller.rpartition("::")[0])
    if kind == "::":
        return name == target.owner if target.owner else name not in class_heads()
    if kind == ".":
        members = "".join(class_text(owner) for owner in owners)
        types = {name, *types_of(name, [spread(body), members])}
        return bool(wanted) and any(wanted in bases_of(word) for word in types)
    if is_definition(text, at):
        return False
    if wanted:
        return wanted in owners
    return not any(re.search(rf"\b{target.name}\s*\(", class_text(owner)) for owner in owners)


def calls(body: str, target: Target, caller: str) -> bool:
    """Return whether the text of a function calls the target."""
    text = plain(body)
    begin = text.index("{")
    for match in re.finditer(rf"\b{target.name}\s*\(", text[begin:]):
        at = begin + match.start()
        count = arguments_at(text, text.index("(", at))
        if target.least_arguments <= count <= target.n_parameters and goes_to(target, caller, body, at):
            return True
    return points_to(text, target.name)


def points_to(text: str, name: str) -> bool:
    """Return whether a body launches a kernel of this name, or calls it through a pointer that it chooses."""
    for launch in re.finditer(r"\bLaunch\w*\s*\(", text):
        end, depth = launch.end(), 1
        while depth > 0 and end < len(text):
            depth += (text[end] in CLOSING.values()) - (text[end] in CLOSING)
            end += 1
        if re.search(rf"\b{name}\b", text[launch.end() : end]):
            return True
    pointers = re.findall(rf"\bauto\s+(?:const\s+)?\*?(?:const\s+)?(\w+)\s*=[^;]*\b{name}\b(?!\s*\()[^;]*;", text)
    return any(re.search(rf"\b{pointer}\s*\(", text) for pointer in pointers)


def chooses(body: str, name: str) -> bool:
    """Return whether a function that selects a function names it."""
    return re.search(rf"\b{name}\b", plain(body)[body.index("{") :]) is not None


def calls_a_parameter(body: str) -> bool:
    """Return whether a function calls a function that its caller passed."""
    text = plain(body)
    head, inside = text[: text.index("{")], text[text.index("{") :]
    parameters = re.findall(r"(\w+)\s*(?=[,)])", head)
    return any(re.search(rf"(?<![.>:\w]){name}\s*\(", inside) for name in parameters)
