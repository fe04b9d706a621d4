"""What each process of the job of test_mpi.py runs; the folder for its results is the argument."""

from __future__ import annotations

import sys
from pathlib import Path

import conformance
from kauriboost.collective import MpiCollective

if __name__ == "__main__":
    group = MpiCollective()
    conformance.check_all(group)
    (Path(sys.argv[1]) / f"rank-{group.rank}").touch()
