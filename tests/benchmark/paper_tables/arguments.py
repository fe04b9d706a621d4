"""Command-line arguments that the commands share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from .machine import usable_threads


def make_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the device, the threads and the folders."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="default: cuda")
    parser.add_argument("--threads", type=int, default=usable_threads(), help="of the CPU's methods (default: all)")
    parser.add_argument("--out", type=Path, default=Path(), help="folder of the JSON files (default: the current one)")
    folder = os.environ.get("KAURI_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        default=None if folder is None else Path(folder),
        help="folder of the real data sets, with load.py (default: KAURI_DATA)",
    )
    return parser
