"""Runs the code blocks of a page in their order.

usage: run_page.py PAGE FOLDER    FOLDER is empty; what the blocks write stays there

A program of its own, so that the blocks' names are those of `__main__`, as in a session of a reader, and so that the
workers of a cluster that a block starts can import this file without starting another.
"""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    import blocks

    blocks.run_page(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), vars(sys.modules["__main__"]))
