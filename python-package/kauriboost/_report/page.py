"""The frame of a page: content policy, style, menu and sections."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .._markup.markup import Markup

# The page loads nothing and runs nothing, regardless of names in the data.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto; max-width: 66rem;
       padding: 1rem 1.5rem 4rem; overflow-wrap: anywhere; }
h1 { margin: .6rem 0 .2rem; } h2 { margin: 2.4rem 0 .6rem; border-bottom: 1px solid #ddd; }
h3 { margin: 1.4rem 0 .4rem; }
nav a { margin-right: 1rem; } a { color: #2166ac; } .about { color: #666; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid #eee; }
th { font-weight: 600; } td.number, th.number { text-align: right; overflow-wrap: normal; white-space: nowrap; }
.wide { overflow-x: auto; margin: .6rem 0; } .wide th, .wide td { min-width: 6rem; }
.wide th.number, .wide td.number { min-width: 0; } .wide img { max-width: none; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; } .pictures img { flex: 1 1 26rem; min-width: 0; }
img { max-width: 100%; height: auto; }
@media print { nav { display: none; } section, img { break-inside: avoid; } }
""".strip()


def page(title: str, sections: Sequence[tuple[str, Markup]]) -> str:
    """Return a whole page with a menu and the sections under their headings."""
    places = [heading.lower().replace(" ", "-") for heading, _ in sections]
    menu = " ".join(
        f'<a href="#{escape(place)}">{escape(heading)}</a>' for place, (heading, _) in zip(places, sections)
    )
    bodies = "\n".join(
        f'<section id="{escape(place)}"><h2>{escape(heading)}</h2>\n{body.text}\n</section>'
        for place, (heading, body) in zip(places, sections)
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{_STYLE}
</style>
</head>
<body>
<h1>{escape(title)}</h1>
<nav>{menu}</nav>
{bodies}
</body>
</html>
"""
