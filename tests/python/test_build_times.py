"""Build times, as tests/benchmark/build_times.py reads them from ninja's log."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmark"))
from build_times import read_log, report

LOG = """# ninja log v5
0\t1000\t17\tsrc/CMakeFiles/kauri_tree.dir/tree/a.cc.o\tf00
0\t9000\t17\tplugin/cuda/CMakeFiles/kauri_cuda_objects.dir/exact/b.cu.o\tf01
9000\t9500\t17\tlib/libkauri.so\tf02
20\t3020\t18\tsrc/CMakeFiles/kauri_tree.dir/tree/a.cc.o\tf03
"""


def test_the_last_time_of_an_output_counts() -> None:
    step = read_log(LOG)["src/CMakeFiles/kauri_tree.dir/tree/a.cc.o"]
    assert (step.begin, step.end) == (0.02, 3.02)


def test_the_slowest_come_first() -> None:
    head, first, second = report(read_log(LOG)).split("\n")
    assert head == "2 objects, 12 s of one core; of CUDA 1, 9 s"
    assert first.split() == ["9.0", "s", "plugin/cuda/exact/b.cu"]
    assert second.split() == ["3.0", "s", "src/tree/a.cc"]
