"""Measurements of contributions and interactions: a command per table of the GPUTreeShap paper (Mitchell et al. 2022).

    python tests/benchmark/shap_tables.py --table 3 --data FOLDER    # the twelve models: trees, leaves, depth
    python tests/benchmark/shap_tables.py --table 6 --data FOLDER    # contributions of 10,000 rows
    python tests/benchmark/shap_tables.py --table 7 --data FOLDER    # interactions of 200 rows
    python tests/benchmark/shap_tables.py --table 5 --data FOLDER    # bin packing; with --packing-bench its time
    python tests/benchmark/shap_tables.py --figure 4 --data FOLDER   # time against rows
    python tests/benchmark/shap_tables.py --figure 5 --data FOLDER   # 1 M rows against devices (6: against threads)
    python tests/benchmark/shap_tables.py --roofline --data FOLDER   # instructions and bytes of every kernel

Models are trained once, by `hist` on the CPU with the paper's parameters, and kept in the folder --models. A training
that has taken --train-seconds ends early, and the tables say so. FOLDER (or KAURI_DATA) holds load.py, as for
gpu_exact_tables.py. All methods of Kauri that exist on the CPU and on the device take part, then XGBoost and the shap
package if they are installed. Measurements longer than --seconds use fewer rows, given in brackets, and are scaled up.
The exit status is 1 if results differ. --device cpu tries everything without a device.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
from paper_tables import arguments, shap_figures, shap_roofline, shap_speed
from paper_tables.shap_models import PUBLISHED

TABLES: dict[int, Callable[[argparse.Namespace], int]] = {
    3: shap_speed.table_3,
    5: shap_speed.table_5,
    6: shap_speed.table_6,
    7: shap_speed.table_7,
}
FIGURES: dict[int, Callable[[argparse.Namespace], int]] = {
    4: shap_figures.figure_4,
    5: shap_figures.figure_5,
    6: shap_figures.figure_6,
}


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = arguments.make_parser(__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--table", type=int, choices=TABLES)
    what.add_argument("--figure", type=int, choices=FIGURES)
    what.add_argument("--roofline", action="store_true", help="instructions and bytes of every kernel, by ncu")
    what.add_argument("--plot", metavar="JSON", type=Path, help="draw the figure of a JSON file beside it")
    parser.add_argument("--models", type=Path, default=Path("shap-models"), help="folder of the models")
    parser.add_argument("--train-seconds", type=float, default=20.0, help="for each model (default: 20)")
    parser.add_argument("--only", nargs="+", choices=PUBLISHED, default=list(PUBLISHED), help="models of the tables")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement, about (default: 2)")
    parser.add_argument("--rows", type=int, help="rows of tables 6 and 7 (default: 10,000 and 200)")
    parser.add_argument("--packing-bench", type=Path, help="the program packing_bench, for table 5")
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="without XGBoost and shap")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    args = make_parser().parse_args(argv)
    if args.plot is not None:
        return shap_figures.plot(args.plot)
    if args.roofline:
        return shap_roofline.shap_roofline(args)
    return (TABLES[args.table] if args.table is not None else FIGURES[args.figure])(args)


if __name__ == "__main__":
    sys.exit(main())
