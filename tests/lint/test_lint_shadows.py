"""No name of the plug-in shadows a name of the library.

kauri::cuda is inside kauri: a type, constant or function of kauri::cuda silently hides one of kauri with the same name,
and a file that includes both headers gets the other one. So a name that a header of the library declares in the scope
of kauri must not be declared in the scope of kauri::cuda, neither in a header nor in a source.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from declarations import names_at
from lint_sources import cpp_files, relative


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
