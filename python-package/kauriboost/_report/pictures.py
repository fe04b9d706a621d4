"""Pictures as data URLs: SVG without the time and program of its creation."""

from __future__ import annotations

import base64
import io
from typing import Any

from .._markup.markup import Markup, picture

_RESOLUTION = 110  # of point clouds, which are rasterized


def drawn(ax: Any, description: str) -> Markup:
    """Return the figure of some axes as an image for a page, and close the figure."""
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
