"""The program of each process in the job of test_mpi.py; its argument is the folder for results."""

from __future__ import annotations

import sys
from pathlib import Path

import conformance
import kauriboost as kb
import test_group_training as problem
from kauriboost.collective import MpiCollective

if __name__ == "__main__":
    group = MpiCollective()
    conformance.check_all(group)
    alone = problem.trained(None, kb.DMatrix(problem.X, label=problem.Y))
    assert problem.trained(group, problem.matrix(group)) == alone
    assert problem.trained(group, problem.matrix(group, kb.QuantileDMatrix)) == alone
    (Path(sys.argv[1]) / f"rank-{group.rank}").touch()
