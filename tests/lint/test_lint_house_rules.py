"""House rules that a text search can check. Each message has the reason."""

from __future__ import annotations

import re

import pytest
from lint_sources import ROOT, cpp_files, matches, relative, text_files

LIBRARY = ("include", "src", "plugin")
CUDA_SYMBOLS = (
    r"\bcuda[A-Z]\w*|\bcu(b|blas|rand|sparse)::|\bthrust::|__(global|device|host|shared)__|__CUDA\w+__|<cuda|<cub/"
)
LONGER = "Longer than 400" + " lines:"  # split in two, because this file is not longer
RULES = [
    (r"std::(cout|cerr|clog)\b|\b(f?printf|puts|fputs|putchar|perror)\s*\(", ("src/cli/",), "the library never prints"),
    (
        r"#\s*pragma\s+omp",
        ("src/common/threads/openmp_team.cc",),
        "loops go through ParallelFor (src/common/threads/parallel_for.h)",
    ),
    (
        r"(?<![.>\w])(std::|::)?(exit|_exit|abort|quick_exit|terminate)\s*\(",
        (),
        "the library throws, it never ends the process",
    ),
    (CUDA_SYMBOLS, ("plugin/cuda/", "include/kauri/host_device.h"), "CUDA stays in plugin/cuda"),
    (r"<<<", ("plugin/cuda/common/",), "kernels start through the wrapper in plugin/cuda/common"),
    (
        r"\bcuda(Malloc|Free)\w*\s*\(",
        ("plugin/cuda/common/",),
        "device memory is owned by the buffers in plugin/cuda/common",
    ),
    (
        r"\bcudaMem(cpy|set)\w*\s*\(",
        ("plugin/cuda/common/",),
        "copies go through plugin/cuda/common/buffer.h, which counts those over the bus",
    ),
    (r"\bcudaDeviceSynchronize\b", (), "streams are waited for, not the device"),
    (
        r"\b(rand|srand)\s*\(|std::random_device|std::mt19937",
        (),
        "random numbers are src/common/random/random.h's, by counter",
    ),
    (
        r"\bstd::(exp2?|expm1|log(1p|2|10)?|pow|cbrt|a?(sin|cos|tan)h?|atan2|erfc?|[lt]gamma|hypot)\(",
        ("src/research/sketch/",),
        "the C library's last bits differ between systems: common/math.h and common/host_math.h have such functions",
    ),
    (r"#\s*if\s+0\b", (), "no dead code"),
    (r"\busing\s+namespace\s+std\b", (), "names are written out"),
]


@pytest.mark.parametrize(("pattern", "allowed", "reason"), RULES, ids=[reason for _, _, reason in RULES])
def test_forbidden_form(pattern: str, allowed: tuple[str, ...], reason: str) -> None:
    example_plugin = ("plugin/example/",)
    found = matches(pattern, cpp_files(*LIBRARY), allowed + example_plugin)
    assert not found, reason + ":\n" + "\n".join(found)


@pytest.mark.parametrize(("pattern", "allowed", "reason"), RULES, ids=[reason for _, _, reason in RULES])
def test_every_exemption_exempts_something(pattern: str, allowed: tuple[str, ...], reason: str) -> None:
    found = matches(pattern, cpp_files(*LIBRARY))
    unused = [prefix for prefix in allowed if not any(line.startswith(prefix) for line in found)]
    assert not unused, f"{reason}: delete the exemption of {', '.join(unused)}, which needs none"


def test_every_nolint_names_a_check_that_runs() -> None:
    """Each `// NOLINT(bugprone-...): why` names a check that .clang-tidy enables; others would silence nothing."""
    checks = set(re.findall(r"^  ([a-z]+-[\w-]+)", (ROOT / ".clang-tidy").read_text(), re.MULTILINE))
    found = [
        f"{relative(path)}:{number}: {line.strip()}"
        for path in cpp_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if "NOLINT" in line and not set(re.findall(r"NOLINT\w*\(([\w-]+)\)", line)) & checks
    ]
    assert not found, "delete what silences nothing:\n" + "\n".join(found)


def test_no_machine_paths() -> None:
    """No file names a folder of the machine that it was written on."""
    expression = re.compile(r"(?<![\w.$}/])/(" + "|".join(["work", "root", "home", "tmp", "Users"]) + r")/\w")
    found = [
        f"{relative(path)}:{number}: {line.strip()}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
        if expression.search(line)
    ]
    assert not found, "\n".join(found)


def test_file_length() -> None:
    """Files stay below 400 lines, or state in their head why they do not (`Longer than 400 lines: ...`)."""
    files = [*cpp_files(), *(path for path in text_files() if path.suffix == ".py")]
    found = []
    for path in files:
        text = path.read_text(encoding="utf-8")
        if (text.count("\n") > 400) != (LONGER in text[:2000]):
            found.append(f"{relative(path)}: {text.count(chr(10))} lines")
    assert not found, f"split what is longer than 400 lines, and say {LONGER!r} nowhere else:\n" + "\n".join(found)


def test_headers_are_guarded() -> None:
    found = [relative(path) for path in cpp_files() if path.suffix == ".h" and "#pragma once" not in path.read_text()]
    found = [name for name in found if name != "include/kauri/c_api.h"]  # plain C: classic guards
    assert not found, "no #pragma once: " + ", ".join(found)


def test_disabled_targets_of_vector_code_may_be_set_by_the_build() -> None:
    """Builds with sanitizers define HWY_DISABLED_TARGETS for every file (cmake/KauriOptions.cmake); a file's own list
    must give way, because a macro that is defined twice is an error."""
    texts = {path: path.read_text(encoding="utf-8") for path in cpp_files(*LIBRARY)}
    files = {path: text for path, text in texts.items() if "#define HWY_DISABLED_TARGETS" in text}
    assert files
    bare = [
        relative(path)
        for path, text in files.items()
        for before in re.findall(r"([^\n]*)\n#define HWY_DISABLED_TARGETS", text)
        if not before.startswith("#ifndef HWY_DISABLED_TARGETS")
    ]
    assert not bare, "put #ifndef around HWY_DISABLED_TARGETS in " + ", ".join(bare)


def test_rules_can_fail() -> None:
    """The search covers code, but not comments and strings."""
    expression = re.compile(RULES[0][0])
    assert expression.search("std::cout << x;")
    assert expression.search('  printf("x");')
    assert not expression.search("std::snprintf(buffer, size, format)")
