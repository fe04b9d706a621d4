"""The command that tests whether permutations are uniform: ``python -m kauriboost.uniformity FILE``."""

from __future__ import annotations

import sys

from ._data.uniformity import shuffle_uniformity
from ._tools.uniformity import main

__all__ = ["shuffle_uniformity"]

if __name__ == "__main__":
    sys.exit(main())
