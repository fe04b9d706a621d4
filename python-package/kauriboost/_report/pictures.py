"""Pictures as data URLs: SVG without the time and program of its creation."""

from __future__ import annotations

import base64
import io
from typing import Any

from .._markup.markup import Markup, captioned, picture

_WIDTH = 5.2  # inches
_RESOLUTION = 110  # of point clouds, which are rasterized


def narrow_axes(n_lines: int = 6) -> Any:
    """Return new axes for a picture whose texts are readable on a phone; `n_lines` is its height in lines of bars."""
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(_WIDTH, 1.2 + 0.36 * max(n_lines, 3)), layout="constrained")[1]


def _lay_out(figure: Any) -> None:
    """Compute the layout once and keep it; saving the figure would draw it twice otherwise."""
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)
        figure.set_layout_engine("none")


def drawn(ax: Any, description: str, caption: str = "") -> Markup:
    """Return the figure of some axes as an image for a page, below its caption if it has one, and close the figure."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    stream = io.BytesIO()
    settings: Any = {
        "savefig.transparent": True,
        "svg.hashsalt": "kauri",
        "svg.fonttype": "path",
        "svg.image_inline": True,
    }
    try:
        _lay_out(ax.figure)
        with mpl.rc_context(settings):
            metadata = {"Date": None, "Creator": None}
            ax.figure.savefig(stream, format="svg", dpi=_RESOLUTION, metadata=metadata)
    finally:
        plt.close(ax.figure)
    image = picture("data:image/svg+xml;base64," + base64.b64encode(stream.getvalue()).decode(), description)
    return captioned(caption, image) if caption else image
