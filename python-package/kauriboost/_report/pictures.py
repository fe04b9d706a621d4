"""Pictures as addresses that hold them: SVG that says neither when nor where it was drawn."""

from __future__ import annotations

import base64
import io
from typing import Any

from .._markup.markup import Markup, picture

_RESOLUTION = 110  # of clouds of points, which are no shapes


def drawn(ax: Any, description: str) -> Markup:
    """Return the figure of some axes as an image of a page, and close it."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    stream = io.BytesIO()
    try:
        with mpl.rc_context({"svg.hashsalt": "kauri", "svg.fonttype": "path", "svg.image_inline": True}):
            metadata = {"Date": None, "Creator": None}
            ax.figure.savefig(stream, format="svg", dpi=_RESOLUTION, bbox_inches="tight", metadata=metadata)
    finally:
        plt.close(ax.figure)
    return picture("data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode(), description)
