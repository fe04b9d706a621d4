"""`hist` on a device beside XGBoost's CUDA build on the same device, in the same run: one line per case ("work").

    python tests/benchmark/gpu_hist.py                                      # every case
    python tests/benchmark/gpu_hist.py trees --rows 10000000 --columns 28 --depth 6 --rounds 50
    python tests/benchmark/gpu_hist.py trees depth8 depth12 leaves          # one process per library, one matrix
    python tests/benchmark/gpu_hist.py matrix matrix-device memory --repeats 3
    python tests/benchmark/gpu_hist.py --device cpu --rows 2000 --rounds 20 # the cases that need no device

Cases are data (hist_cases/works.py). Each library runs them in its own process; cases on the same rows share a process,
and --limit ends it. Milliseconds of a tree are the time difference of two trainings on one matrix, divided by the
difference in rounds; medians of --repeats. Ratios are XGBoost / Kauri: above 1 Kauri is faster, or takes less memory.
Memory is the driver's figure of memory in use, polled, without the context and the input arrays. The exit status is 1
if Kauri's models of device and CPU differ by a byte (3 rounds on at most 100,000 rows), or if a case of Kauri failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from hist_cases.works import UNITS, WORKS, Work, chosen

HERE = Path(__file__).resolve().parent
LIBRARIES = ("kauri", "xgboost")
Answers = dict[str, dict[str, Any]]


def run_library(library: str, works: list[Work], args: argparse.Namespace) -> Answers:
    """Run the works in a process; returns the answer of each. A work that failed or was not reached has an error."""
    settings = {"device": args.device, "threads": args.threads, "repeats": args.repeats, "matrix": args.matrix}
    task = {"library": library, "settings": settings, "works": [work.to_dict() for work in works]}
    python = args.xgboost_python if library == "xgboost" and args.xgboost_python else sys.executable
    command = [python, "-m", "hist_cases.worker", json.dumps(task)]
    paths = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "PYTHONPATH": paths}
    process = subprocess.Popen(command, env=env, text=True, stdout=subprocess.PIPE, cwd=HERE)
    is_over = threading.Event()
    limit = threading.Timer(args.limit, lambda: (is_over.set(), process.kill()))
    limit.start()
    answers: Answers = {}
    start = time.perf_counter()
    for line in process.stdout:
        answer = json.loads(line)
        answers[answer["work"]] = answer
        print(f"  {library} {answer['work']}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    status = process.wait()
    limit.cancel()
    reason = f"over {args.limit:g} s" if is_over.is_set() else f"ended with status {status}"
    for work in works:
        answers.setdefault(work.name, {"error": reason})
    return answers


def cell(work: Work, library: str, answer: dict[str, Any]) -> str:
    """Return one library's part of a line."""
    if "error" in answer:
        return f"{library} ({answer['error']})"
    digits = 3 if UNITS[work.measure] == "s" or answer["value"] < 10 else 1
    text = f"{library} {answer['value']:.{digits}f} {UNITS[work.measure]}"
    if "made_ms" in answer:
        text += f" (the call alone {answer['made_ms']:.1f})"
    if "construction" in answer:
        more = ("construction", "kept", "input", "context")
        text += " training (" + ", ".join(f"{key} {answer[key]:.0f}" for key in more) + ")"
    if answer.get("equal_bytes") is False:
        text += " OTHER BYTES THAN THE CPU"
    return text


def ratios(found: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return XGBoost's number over Kauri's, where both have one."""
    ours, theirs = (found.get(library, {}) for library in LIBRARIES)
    keys = [key for key in ("value", "construction") if ours.get(key, 0) > 0 and key in theirs]
    return {key: theirs[key] / ours[key] for key in keys}


def report(work: Work, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Print the line of a work; returns its numbers."""
    cells = [cell(work, library, answer) for library, answer in found.items()]
    both = ratios(found)
    names = {"value": "ratio", "construction": "ratio of construction"}
    cells += [f"{names[key]} {ratio:.2f}" for key, ratio in both.items()]
    print(f"{work.describe()}: " + ", ".join(cells), flush=True)
    return {**work.to_dict(), "found": found, "ratios": both}


def is_wrong(found: dict[str, dict[str, Any]]) -> bool:
    """Return whether Kauri's part failed, or has other bytes."""
    ours = found.get("kauri", {})
    return "error" in ours or ours.get("equal_bytes") is False


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", metavar="work", help=f"of {', '.join(WORKS)}; default: all")
    for name in ("rows", "columns", "depth", "leaves", "rounds"):
        parser.add_argument(f"--{name}", type=int, help="instead of the work's own")
    parser.add_argument("--max-bin", type=int, help="instead of 256")
    parser.add_argument("--source", choices=["host", "device"], help="where arrays are, instead of the work's own")
    parser.add_argument("--device", default="cuda", help="as the parameter of that name (default: cuda)")
    parser.add_argument("--matrix", default="quantile", choices=["quantile", "values"], help="QuantileDMatrix, DMatrix")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300, help="seconds of a process (default: 300)")
    parser.add_argument("--libraries", default=",".join(LIBRARIES), help="comma-separated")
    parser.add_argument("--xgboost-python", help="the interpreter that has xgboost, if it is another")
    parser.add_argument("--out", type=Path, help="JSON of all numbers")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Measure; returns the exit status."""
    parser = make_parser()
    args = parser.parse_args(argv)
    unknown = set(args.works) - set(WORKS)
    if unknown:
        parser.error(f"unknown works {sorted(unknown)}; there are {', '.join(WORKS)}")
    changes = {name: getattr(args, name) for name in ("rows", "columns", "depth", "leaves", "rounds", "source")}
    works = chosen(args.works, {**changes, "max_bin": args.max_bin})
    works = [work for work in works if args.device.startswith("cuda") or not work.needs_device()]
    results = []
    groups: dict[Any, list[Work]] = {}
    for work in works:
        groups.setdefault(work.data_key(), []).append(work)
    for on_rows in groups.values():
        found = {library: run_library(library, on_rows, args) for library in args.libraries.split(",")}
        for work in on_rows:
            results.append(report(work, {library: answers[work.name] for library, answers in found.items()}))
            if args.out:
                args.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 1 if any(is_wrong(result["found"]) for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
