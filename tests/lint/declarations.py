"""Reads what C++ files declare at the scope of a namespace, by a scan of braces and statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.)*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL | re.MULTILINE
)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace(\s+[\w:]+)?\s*$")
TEMPLATE = re.compile(r"\btemplate\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>")
TYPE = re.compile(
    r"\b(?:class|struct|union|enum(?:\s+class)?)\s+(?:alignas\([^)]*\)\s*)?(\w+)\s*(?:final\s*)?(?::(?!:).*)?$",
    re.DOTALL,
)
ALIAS = re.compile(r"^\s*using\s+(\w+)\s*=")
CONSTANT = re.compile(r"\b(k[A-Z]\w*)\s*(?:\[[^\]]*\])*\s*(?:=|\{|$)")
ATTRIBUTE = re.compile(r"\b(?:__\w+__|decltype|alignas|noexcept)\s*\((?:[^()]|\([^()]*\))*\)")
STATIC = re.compile(r"(?:template\s*<[^;{]*>\s*)?static\b")
FUNCTION = re.compile(r"(::\s*)?\b([A-Z]\w*)\s*\(")


def declared_in(statement: str) -> set[str]:
    """Return the name declared by a statement at namespace scope, which ends before its body or semicolon."""
    statement = TEMPLATE.sub(" ", statement).strip()
    if not statement or statement.startswith(("using namespace", "friend", "extern template", "template")):
        return set()
    for pattern in (ALIAS, TYPE):
        found = pattern.search(statement)
        if found:
            return {found.group(1)}
    head = ATTRIBUTE.sub(" ", statement).split("=")[0]
    constant = CONSTANT.search(head)
    if constant and "(" not in head[: constant.start()]:
        return {constant.group(1)}
    function = FUNCTION.search(head)
    # A macro call has no type before its name; the definition of a member has its class.
    if function and not function.group(1) and head[: function.start()].strip():
        return {function.group(2)}
    return set()


class Declared(NamedTuple):
    """A name that a file declares at the scope of a namespace."""

    name: str
    namespace: str  # the named ones, "kauri::detail"
    is_own: bool  # in an unnamed namespace or static, so that no other file sees it
    is_body: bool  # a definition with a body, not a declaration that ends in a semicolon
    is_function: bool


def declarations_in(code: str) -> Iterator[Declared]:
    """Yield what a file declares at the scope of namespaces."""
    code = NOT_CODE.sub(lambda found: '""' if found.group()[0] in "\"'" else " ", code)
    scopes: list[str] = []  # a namespace, "" for an unnamed one, "{" for any other brace
    statement = ""

    def found_here(is_body: bool) -> Iterator[Declared]:
        if "{" in scopes:
            return
        namespace = "::".join(scope for scope in scopes if scope)
        is_own = "" in scopes or bool(STATIC.match(statement.strip()))
        for name in sorted(declared_in(statement)):
            yield Declared(name, namespace, is_own, is_body, bool(re.search(rf"\b{name}\s*\(", statement)))

    for character in code:
        if character == "{":
            opened = NAMESPACE.search(statement)
            if opened:
                scopes.append((opened.group(1) or "").strip())
                statement = ""
                continue
            yield from found_here(is_body=True)
            scopes.append("{")
            statement = ""
        elif character == "}":
            if scopes:
                scopes.pop()
            statement = ""
        elif character == ";":
            yield from found_here(is_body=False)
            statement = ""
        elif "{" not in scopes:
            statement += character


def names_at(code: str, namespace: str) -> set[str]:
    """Return the names declared in the scope of a namespace, including unnamed namespaces within it."""
    return {declared.name for declared in declarations_in(code) if declared.namespace == namespace}
