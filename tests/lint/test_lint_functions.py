"""Functions have at most 40 lines and six parameters."""

from __future__ import annotations

import pytest
from functions import Function, c_api_names, count_parameters, functions_of, library_functions

MAX_LINES = 40
MAX_PARAMETERS = 6
# Functions that exceed a limit, with the reason. An entry that is no longer needed fails.
LONG = {
    "Walker::Walk": "one loop over the nodes, whose state is registers (quadrature_kernel.cc)",
    "Walker::Tip": "the unrolled end of that loop",
    "LaneProgram::Run": "one loop over the steps of a program, whose state is registers (shap_lane.h)",
    "ConsiderVector": "one step of a loop over vectors; a part of it would take a dozen of them (exact_boundary.cc)",
}
MANY_PARAMETERS = {
    "LaneProgram::Combine": "arrays in registers, by reference (shap_lane.h)",
}


def excess(found: list[Function], exempt: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the functions over the limit without an exemption, and the exemptions that are not needed."""
    names = {function.name for function in found}
    over = [
        f"{f.file}:{f.line}: {f.name}: {f.length} lines, {f.n_parameters} parameters"
        for f in found
        if f.name not in exempt
    ]
    unused = [name for name in exempt if name not in names]
    return over, unused


def test_lengths() -> None:
    over, unused = excess([function for function in library_functions() if function.length > MAX_LINES], LONG)
    assert not over, f"split what is longer than {MAX_LINES} lines by what it does:\n" + "\n".join(over)
    assert not unused, f"delete what exempts nothing: {unused}"


def test_parameters() -> None:
    many = [function for function in library_functions() if function.n_parameters > MAX_PARAMETERS]
    many = [function for function in many if function.name not in c_api_names()]
    over, unused = excess(many, MANY_PARAMETERS)
    assert not over, f"more than {MAX_PARAMETERS} parameters are a struct (as PredictTask is):\n" + "\n".join(over)
    assert not unused, f"delete what exempts nothing: {unused}"


def test_both_faults_of_a_table_are_found() -> None:
    function = Function(file="a.cc", name="Grow", line=7, length=41, n_parameters=0)
    over, unused = excess([function], {"Shrink": "a reason"})
    assert over == ["a.cc:7: Grow: 41 lines, 0 parameters"]
    assert unused == ["Shrink"]


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("f()", 0),
        ("f(void)", 0),
        ("f(int a)", 1),
        ("f(std::map<int, float> const& a, int b)", 2),
        ("f(int (*g)(int, int), Span<float> out = {1, 2})", 2),
    ],
)
def test_parameters_are_counted(signature: str, expected: int) -> None:
    assert count_parameters(signature) == expected


SOURCE = """
namespace kauri {
template <typename T>
__global__ void __launch_bounds__(kThreads, 2) SumKernel(Span<T const> from, Pair<int, T> two, T* to) {
  if (from.empty()) {
    return;
  }
  *to = T{};
}

template <typename Node>
KAURI_HD double Walker<Node>::Walk() const {
  auto const step = [](int a, int b) { return a + b; };
  return step(1, 2);
}
}  // namespace kauri
"""


def test_functions_are_found() -> None:
    kernel, walk = functions_of(SOURCE, "x.cu")
    assert (kernel.name, kernel.n_parameters) == ("SumKernel", 3)
    assert kernel.length in {6, 7}  # the head of a template is one or two lines
    assert (walk.name, walk.n_parameters) == ("Walker::Walk", 0)
    assert walk.length in {4, 5}
