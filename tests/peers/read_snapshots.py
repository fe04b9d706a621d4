"""Reads the snapshots of write_snapshots.py with the XGBoost of an environment: read_snapshots.py IN [KIND...].

Skips the named kinds. Prints the kinds whose margins differ, that accept no further round, or whose second snapshot
differs from the first.
"""

from __future__ import annotations

import pickle
import sys
import warnings

import numpy as np
import xgboost as xgb


def booster_of(snapshot: bytes) -> xgb.Booster:
    """Make a booster as unpickling does."""
    booster = xgb.Booster()
    booster.__setstate__({"handle": bytearray(snapshot)})
    return booster


def main(path: str, *left_out: str) -> None:
    """Read the file."""
    with open(path, "rb") as file:
        written = pickle.load(file)
    for name, (snapshot, margins, labels, more, rounds) in written["kinds"].items():
        if name in left_out:
            continue
        booster = booster_of(snapshot)
        if rounds and np.abs(booster.predict(xgb.DMatrix(written["X"]), output_margin=True) - margins).max() > 1e-5:
            print(name, "predicts otherwise")
        again = booster_of(bytes(booster.__getstate__()["handle"]))
        if again.save_config() != booster.save_config():
            print(name, "has another configuration after a pickle")
        booster.update(xgb.DMatrix(written["X"], labels, **more), rounds)
        if booster.num_boosted_rounds() != rounds + 1:
            print(name, "takes no further round")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    xgb.set_config(verbosity=0)
    main(*sys.argv[1:])
    print("read")
