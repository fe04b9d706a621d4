"""Compare what the program `kauri` computes on two systems: checksums of models, predictions and SHAP values.

The configurations and the data are those of model_checksums.py. The program may be of another system than Python is, so
equal tables show that two systems give the same bytes:

    python tests/benchmark/program_checksums.py build/bin/kauri > here
    python tests/benchmark/program_checksums.py wine64 build-cross/x86_64-windows-gnu/bin/kauri.exe > there
    diff here there
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from model_checksums import EXTRA, FEW_ROWS, N_ROUNDS, Case, cases, table

WITHOUT_SHAP = "gblinear"


def word(name: str, value: Any) -> str:
    """Return a parameter as the program takes it."""
    if isinstance(value, list):
        return f"{name}={json.dumps(value)}"
    return f"{name}={int(value) if isinstance(value, bool) else value}"


def run(program: list[str], folder: Path, *words: str) -> bytes:
    """Return what the program prints on standard output. Raises RuntimeError with its last line if it fails."""
    done = subprocess.run([*program, *words], cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(lines[-1] if lines else f"status {done.returncode}")
    return done.stdout


def checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def summary(program: list[str], case: Case, n_rows: int, threads: int, folder: Path) -> str:
    """Train, predict and explain one case in the folder."""
    name, params, kind = case
    table(kind.split("+")[0], "categories" in kind, n_rows).save_binary(folder / "data.bin")
    params = {"nthread": threads, "max_depth": 5, **EXTRA.get(params.get("objective", ""), {}), **params}
    common = ["data=data.bin", f"num_round={N_ROUNDS}"]
    if params.get("process_type") == "update":
        run(program, folder, "train", *common, "max_depth=5", f"nthread={threads}", "model_out=before.ubj")
        common.append("model_in=before.ubj")
    words = [word(key, value) for key, value in params.items()]
    printed = run(program, folder, "train", *common, *words, "model_out=model.ubj", "eval_train=1")
    parts = [(folder / "model.ubj").read_bytes(), printed]
    kinds = ["0"] if params.get("booster") == WITHOUT_SHAP else ["0", "1"]
    for contributions in kinds:
        asked = ["test:data=data.bin", "model_in=model.ubj", f"pred_contribs={contributions}", f"nthread={threads}"]
        run(program, folder, "task=pred", *asked, "name_pred=values.txt")
        parts.append((folder / "values.txt").read_bytes())
    return f"{name} {n_rows}: " + " ".join(checksum(part) for part in parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="+", help="the program, after the words that run it")
    parser.add_argument("--rows", type=int, default=FEW_ROWS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="take every n-th case only")
    options = parser.parse_args()
    *runner, file = options.program
    program = [*runner, str(Path(file).resolve())]
    for case in list(cases())[:: options.every]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(summary(program, case, options.rows, options.threads, Path(folder)))
            except RuntimeError as refused:
                print(f"{case[0]}: refused: {refused}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
