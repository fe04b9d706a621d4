"""Time XGBoost on the data that exact_tree_bench wrote: exact_tree_peer.py PREFIX COLUMNS DEPTH THREADS ROUNDS."""

import sys
import time

import numpy as np
import xgboost as xgb


def main() -> None:
    """Train and print the time per tree, without the construction of the matrix."""
    prefix, columns, depth, threads, rounds = sys.argv[1], *map(int, sys.argv[2:6])
    x = np.fromfile(prefix + ".x", dtype=np.float32).reshape(-1, columns)
    y = np.fromfile(prefix + ".y", dtype=np.float32)
    data = xgb.DMatrix(x, label=y, nthread=threads)
    param = {
        "tree_method": "exact",
        "objective": "binary:logistic",
        "base_score": 0.5,
        "max_depth": depth,
        "nthread": threads,
    }
    xgb.train(param, data, num_boost_round=1)  # sorts the columns
    start, cpu_start = time.perf_counter(), time.process_time()
    booster = xgb.train(param, data, num_boost_round=rounds)
    per_tree = (time.perf_counter() - start) / rounds * 1e3
    cpu = (time.process_time() - cpu_start) / rounds * 1e3
    print(
        f"xgboost {xgb.__version__}: {per_tree:.2f} ms per tree, processor {cpu:.2f} ms;",
        booster.eval(data, "train").replace("\t", " "),
    )


if __name__ == "__main__":
    main()
