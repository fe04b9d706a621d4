"""Calls in C++ texts: which class a call goes to, and with how many arguments. For test_lint_hops.py.

A class is known by what the texts declare: a local, a parameter, a member or a function with the receiver's name, whose
type names the class. Templates' arguments and namespaces are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from lint_sources import code_of, cpp_files

CLASS_HEAD = re.compile(r"\b(?:class|struct)\s+(\w+)\s*(?:final\s*)?:\s*([^{;]+)\{")
CLASS_BODY = re.compile(r"\b(?:class|struct)\s+(\w+)\s*(?:final\s*)?(?::[^{;]+)?\{")
TEMPLATE_ARGUMENTS = re.compile(r"(?<=\w)<[\w:&*,.\s\[\]]*>")
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


@cache
def library() -> str:
    return "\n".join(plain(code_of(path)) for path in cpp_files("include", "src", "plugin"))


@cache
def bases_of(owner: str, text: str | None = None) -> frozenset[str]:
    """Return the classes that `owner` derives from, and itself."""
    found = {owner}
    for name, bases in CLASS_HEAD.findall(library() if text is None else text):
        if name == owner:
            for base in re.findall(r"(\w+)\s*(?:,|$)", bases.strip()):
                found |= bases_of(base, text) if base != owner else set()
    return frozenset(found)


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


def class_text(owner: str, text: str) -> str:
    """Return the definition of a class in `text`, without the bodies of functions within it; or nothing."""
    for head in CLASS_BODY.finditer(text):
        if head[1] != owner:
            continue
        depth, kept = 1, []
        for letter in text[head.end() :]:
            depth += (letter == "{") - (letter == "}")
            if depth == 0:
                return "".join(kept)
            if depth == 1:
                kept.append(letter)
    return ""


@cache
def declared(name: str, texts: tuple[str, ...], depth: int = 0) -> frozenset[str]:
    """Return the words in the types with which the first of the texts that declares `name` declares it.

    The type of an `auto` is that of the last name in its initialiser, wherever the library declares that."""
    declaration = re.compile(
        rf"(?:^|[;{{}}(,\n])\s*((?:(?:static|virtual|explicit|inline|const|mutable)\s+)*[A-Za-z_][\w:<>,&*\s]*?[&*\s])\s*"
        rf"(?:\w+::)?{name}\s*(?=[;=,){{(\[])",
        re.MULTILINE,
    )
    for text in texts:
        found: set[str] = set()
        for match in declaration.finditer(text):
            words = set(re.findall(r"\w+", match[1]))
            if words & {"return", "else", "new", "delete", "case", "throw"}:
                continue
            if "auto" in words and depth < 3:
                value = re.match(r"\s*=\s*([^;]*)", text[match.end() :])
                names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\([^()]*\)$", "", value[1].strip())) if value else []
                words = set(declared(names[-1], (library(),), depth + 1)) if names else set()
            found |= words
        if found:
            return frozenset(found)
    return frozenset()


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


def goes_to(target: Target, caller: str, texts: tuple[str, ...], text: str, at: int) -> bool:
    """Return whether the call at `at` of the caller's body goes to the target's class."""
    kind, name = receiver(text, at)
    wanted = target.base or target.owner
    if kind == "::":
        return name == target.owner if target.owner else not class_text(name, library())
    if kind == ".":
        types = {name} | declared(name, texts)
        return bool(wanted) and any(wanted in bases_of(word) for word in types)
    if is_definition(text, at):
        return False
    classes = bases_of(caller.rpartition("::")[0])
    if wanted:
        return wanted in classes
    return not any(declared(target.name, (class_text(owner, library()),)) for owner in classes if owner)


def calls(body: str, target: Target, caller: str, outside: str) -> bool:
    """Return whether a function's body calls the target. outside: the file that defines the function."""
    text = plain(body)
    owner = caller.rpartition("::")[0]
    classes = [class_text(one, library()) for one in bases_of(owner)] if owner else []
    texts = (text, *[one for one in classes if one], plain(outside), library())
    for match in re.finditer(rf"\b{target.name}\s*\(", text[text.index("{") :]):
        at = text.index("{") + match.start()
        count = arguments_at(text, text.index("(", at))
        if target.least_arguments <= count <= target.n_parameters and goes_to(target, caller, texts, text, at):
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
