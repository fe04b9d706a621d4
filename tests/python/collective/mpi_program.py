"""The program of each process in the job of test_mpi.py; its argument is the folder for results."""

from __future__ import annotations

import sys
from pathlib import Path

import conformance
import kauriboost as kb
import test_rank_training as problem
from kauriboost.collective import MpiCollective

if __name__ == "__main__":
    collective = MpiCollective()
    conformance.check_all(collective)
    alone = problem.trained(None, kb.DMatrix(problem.X, label=problem.Y))
    assert problem.trained(collective, problem.matrix(collective)) == alone
    assert problem.trained(collective, problem.matrix(collective, kb.QuantileDMatrix)) == alone
    (Path(sys.argv[1]) / f"rank-{collective.rank}").touch()
