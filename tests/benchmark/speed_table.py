"""Speed of training and prediction, side by side with XGBoost, LightGBM and CatBoost, with equal threads.

    python tests/benchmark/speed_table.py [case ...] [--threads 2] [--repeats N] [--libraries a,b] [--out FILE]

Cases are data (speed_cases/cases.py). Each library works in its own process, so that peak memory can be measured. The
processes take turns within a repeat, so that a noisy machine hurts all alike. The first repeat is a warm-up, except in
cases too large for all processes at once. A library's time goes from arrays in memory to the model, including its own
data set and bins; `ms a round` is the time of a round after the first. Ratios are medians over the repeats of peer time
/ Kauri's time of the same repeat: above 1 Kauri is faster. The cases `again` give the time of a second training on a
library's data set, `first` the time of the first one from arrays, and `resident` the memory that both leave. --baseline
adds another build of Kauri. The output is a line per library with the test metric of its model; --out writes all
figures as JSON. CatBoost is only needed here (`pip install catboost`); --libraries leaves it out.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from speed_cases.cases import ALL, BY_NAME, Case
from speed_cases.datasets import load_parts, prepare
from speed_cases.worker import MODEL_ROWS

HERE = Path(__file__).resolve().parent
BASELINE = "baseline"


class Process:
    """A worker process and its answers."""

    def __init__(self, case: Case, library: str, args: argparse.Namespace) -> None:
        entrant = "kauri" if library == BASELINE else library
        command = [sys.executable, "-m", "speed_cases.worker", case.name, entrant, str(args.folder), str(args.threads)]
        paths = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
        env = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": str(args.threads)}
        if library == BASELINE:
            env["KAURI_LIBRARY"] = str(args.baseline)
            package = args.baseline_package or args.baseline.parents[2] / "python-package"
            if package.exists():
                env["KAURI_PYTHON_PACKAGE"] = str(package)
        quiet = None if args.verbose else subprocess.DEVNULL
        self.pipe = subprocess.Popen(command, env=env, text=True, stderr=quiet, stdin=-1, stdout=-1)
        self.name = library
        self.answer()

    def answer(self) -> dict[str, float]:
        line = self.pipe.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} ended with status {self.pipe.wait()}; --verbose shows what it said.")
        return json.loads(line)

    def ask(self, command: str) -> dict[str, float]:
        print(command, file=self.pipe.stdin, flush=True)
        return self.answer()

    def close(self) -> None:
        self.pipe.stdin.close()
        self.pipe.wait()


def make_model(case: Case, folder: Path) -> None:
    """Train and save the model that both Kauri and XGBoost read."""
    path = folder / f"{case.name}.ubj"
    if path.exists():
        return
    import xgboost

    part, _ = load_parts(case.data, folder)
    data = xgboost.DMatrix(part.features[:MODEL_ROWS], part.labels[:MODEL_ROWS])
    params = {"objective": "binary:logistic", "max_depth": case.depth, "eta": case.eta}
    xgboost.train(params, data, case.rounds).save_model(path)


def measure(case: Case, libraries: list[str], args: argparse.Namespace) -> dict[str, dict]:
    """Return the runs and the test metric of each library."""
    found: dict[str, dict] = {name: {"runs": []} for name in libraries}
    processes = {} if case.apart else {name: Process(case, name, args) for name in libraries}
    warm_up = 0 if case.apart else 1
    for repeat in range(case.repeats + warm_up):
        for name in libraries:
            process = processes.get(name) or Process(case, name, args)
            found[name]["runs"].append(process.ask("run"))
            if repeat == 0:
                found[name]["quality"] = process.ask("score")
            if case.apart:
                process.close()
    for process in processes.values():
        process.close()
    for one in found.values():
        for key in ("peak_bytes", "resident_bytes"):  # from a fresh process: later runs reuse freed memory
            if key in one["runs"][0]:
                one[key] = one["runs"][0][key]
        one["runs"] = one["runs"][warm_up:]
    return found


def median_of(runs: list[dict[str, float]], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def report(case: Case, found: dict[str, dict]) -> None:
    goal = f" (to reach: {case.to_reach}; aim: {case.aim})" if case.to_reach else ""
    print(f"\n{case.name}: {case.rounds} rounds{goal}", flush=True)
    ours = found.get("kauri", {}).get("runs", [])
    for name, one in found.items():
        runs = one["runs"]
        line = f"  {name:9} {median_of(runs, 'seconds'):8.3f} s  cpu {median_of(runs, 'cpu_seconds'):8.3f} s"
        if "round_ms" in runs[0]:
            line += f"  {median_of(runs, 'round_ms'):9.2f} ms a round"
        if case.again:
            line += f"  first {median_of(runs, 'first_seconds'):8.3f} s"
            line += f"  resident {one['resident_bytes'] / 1e6:6.0f} MB"
        metric, value = next(iter(one["quality"].items()))
        line += f"  peak {one['peak_bytes'] / 1e6:6.0f} MB  {metric} {value:.5f}"
        if ours and name != "kauri":
            for key, unit in (("seconds", "x"), ("round_ms", "x a round")):
                if key in runs[0]:
                    line += (
                        f"  {statistics.median(a[key] / b[key] for a, b in zip(runs, ours, strict=True)):6.2f} {unit}"
                    )
        print(line, flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=[case.name for case in ALL], help=", ".join(BY_NAME))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, help="instead of each case's own number")
    parser.add_argument("--libraries", help="comma-separated; by default all that take part in a case")
    parser.add_argument("--baseline", type=lambda path: Path(path).resolve(), help="another build's libkauri.so")
    parser.add_argument("--baseline-package", type=Path, help="its python-package; by default that of its project")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "kauri-speed", help="of the data")
    parser.add_argument("--out", type=Path, help="JSON")
    parser.add_argument("--verbose", action="store_true", help="show what the libraries print")
    args = parser.parse_args()
    unknown = [name for name in args.cases if name not in BY_NAME]
    if unknown:
        parser.error(f"unknown cases {unknown}; there are {', '.join(BY_NAME)}")
    return args


def versions() -> dict[str, str]:
    found = {}
    for name in ("kauriboost", "xgboost", "xgboost-cpu", "lightgbm", "catboost"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    args = parse()
    print(", ".join(f"{name} {number}" for name, number in versions().items()) + f"; {args.threads} threads")
    results: dict[str, object] = {"versions": versions(), "threads": args.threads}
    for name in args.cases:
        case = BY_NAME[name]
        if args.repeats:
            case = replace(case, repeats=args.repeats)
        prepare(case.data, args.folder)
        if case.task == "predict":
            make_model(case, args.folder)
        wanted = args.libraries.split(",") if args.libraries else case.libraries
        libraries = [library for library in case.libraries if library in wanted]
        found = measure(case, libraries + [BASELINE] * (args.baseline is not None), args)
        report(case, found)
        results[name] = found
        if args.out:
            args.out.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
