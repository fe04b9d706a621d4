"""The command that puts Kauri's library under an installed XGBoost: ``python -m kauriboost.link xgboost [--undo]``."""

from __future__ import annotations

import sys

from ._tools.link import link, main, unlink

__all__ = ["link", "unlink"]

if __name__ == "__main__":
    sys.exit(main())
