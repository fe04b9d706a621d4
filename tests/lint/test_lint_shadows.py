"""No name of the plug-in shadows a name of the library.

kauri::cuda is inside kauri: a type, constant or function of kauri::cuda silently hides one of kauri with the same name,
and a file that includes both headers gets the other one. So a name that a header of the library declares in the scope
of kauri must not be declared in the scope of kauri::cuda, neither in a header nor in a source.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lint_sources import cpp_files, relative

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


def names_at(code: str, namespace: str) -> set[str]:
    """Return the names declared in the scope of a namespace, including unnamed namespaces within it."""
    code = NOT_CODE.sub(lambda found: '""' if found.group()[0] in "\"'" else " ", code)
    names: set[str] = set()
    scopes: list[str] = []  # a namespace, "" for an unnamed one, "{" for any other brace
    statement = ""

    def is_here() -> bool:
        return "{" not in scopes and "::".join(scope for scope in scopes if scope) == namespace

    for character in code:
        if character == "{":
            opened = NAMESPACE.search(statement)
            if opened:
                scopes.append((opened.group(1) or "").strip())
                statement = ""
                continue
            if is_here():
                names |= declared_in(statement)
            scopes.append("{")
            statement = ""
        elif character == "}":
            if scopes:
                scopes.pop()
            statement = ""
        elif character == ";":
            if is_here():
                names |= declared_in(statement)
            statement = ""
        elif "{" not in scopes:
            statement += character
    return names


def names_in(paths: list[Path], namespace: str) -> dict[str, str]:
    """Return each name, and a file that declares it."""
    names: dict[str, str] = {}
    for path in paths:
        for name in names_at(path.read_text(encoding="utf-8"), namespace):
            names.setdefault(name, relative(path))
    return names


def test_no_name_of_the_plugin_hides_one_of_the_library() -> None:
    library = names_in([path for path in cpp_files("include", "src") if path.suffix == ".h"], "kauri")
    plugin = names_in(cpp_files("plugin/cuda"), "kauri::cuda")
    assert len(library) > 300
    assert len(plugin) > 200
    hidden = sorted(library.keys() & plugin.keys())
    assert not hidden, "\n".join(f"{plugin[name]}: {name} hides that of {library[name]}" for name in hidden)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("constexpr std::uint8_t kNoNode = 255;", {"kNoNode"}),
        ("template <typename T>\nclass Buffer {\n  int size;\n};", {"Buffer"}),
        ("struct Row : Place { int Size() const { return 1; } };", {"Row"}),
        ("enum class Kind { kOne, kTwo };", {"Kind"}),
        ("using Sums = std::vector<int>;", {"Sums"}),
        ("namespace {\nstd::vector<int> Read(int a, int b = kTwo);\n}", {"Read"}),
        ("void Row::Write(int a) { Read(a); }", set()),
        ("Row::Row(int a) : Place(Find(a)) {}", set()),
        ("__global__ void __launch_bounds__(kThreads) AddKernel(Row row) {}", {"AddKernel"}),
        ("DECLARE_PARAMETER(Row);", set()),
        ("// class Row {};\n/* int Read(); */", set()),
        ("KAURI_HD double Gain(FixedSum sum) { return Of(sum); }", {"Gain"}),
        ("namespace inner { struct Row {}; }", set()),
    ],
)
def test_the_rule_itself(code: str, expected: set[str]) -> None:
    assert names_at(f"namespace kauri {{\n{code}\n}}  // namespace kauri\n", "kauri") == expected
