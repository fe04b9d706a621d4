"""The frame of a page: content policy, style, menu and sections."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .._markup.markup import Markup

# The page loads nothing and runs nothing, regardless of names in the data.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
# In the dark, lightness is turned round and hues are kept, so that the white ground of pictures gets the page's colour.
_STYLE = """
:root { color-scheme: light dark; --text: #222; --ground: #fff; --quiet: #5f5f5f; --line: #ddd; --link: #2166ac; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --ground: #1a1a1a; --quiet: #b0b0b0; --line: #444; --link: #8ab8e6; }
  img { filter: invert(.9) hue-rotate(180deg); }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 0 auto;
       max-width: 68rem; padding: 1rem 1.2rem 4rem; overflow-wrap: anywhere; }
h1 { margin: .6rem 0 .4rem; font-size: 1.7rem; line-height: 1.25; }
h2 { margin: 2.4rem 0 .6rem; border-bottom: 1px solid var(--line); font-size: 1.35rem; }
h3 { margin: 1.6rem 0 .4rem; font-size: 1.1rem; }
nav a { display: inline-block; margin: 0 1rem .3rem 0; } a { color: var(--link); }
.about { color: var(--quiet); max-width: 46rem; } .headline { font-size: 1.15rem; max-width: 46rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem .2rem; text-align: left; vertical-align: top; }
th, td { border-bottom: 1px solid var(--line); }
th { font-weight: 600; } td.number, th.number { text-align: right; overflow-wrap: normal; white-space: nowrap; }
.wide { overflow-x: auto; margin: .6rem 0; } .wide th, .wide td { min-width: 5rem; }
.wide th.number, .wide td.number { min-width: 0; } .wide img { max-width: none; }
summary { cursor: pointer; padding: .4rem 0; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
img { max-width: 100%; height: auto; } .pictures img { width: 100%; }
.pictures > * { flex: 1 1 22rem; min-width: 0; max-width: min(31rem, 100%); }
figure { margin: 0; } figcaption { font-weight: 600; margin: .4rem 0 .2rem; }
@media (max-width: 40rem) {
  body { padding: .6rem .8rem 3rem; } h1 { font-size: 1.35rem; }
  th, td { padding: .2rem .5rem .2rem 0; font-size: .9rem; } .wide th, .wide td { min-width: 4.7rem; }
}
@media print { nav { display: none; } section, img { break-inside: avoid; } }
""".strip()


class Section(NamedTuple):
    """A part of a page; `place` is its address on the page."""

    heading: str
    place: str
    body: Markup


def page(title: str, sections: Sequence[Section]) -> str:
    """Return a whole page with a menu and the sections under their headings."""
    menu = " ".join(f'<a href="#{escape(one.place)}">{escape(one.heading)}</a>' for one in sections)
    bodies = "\n".join(
        f'<section id="{escape(one.place)}"><h2>{escape(one.heading)}</h2>\n{one.body.text}\n</section>'
        for one in sections
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
<nav aria-label="Sections">{menu}</nav>
<main>
{bodies}
</main>
</body>
</html>
"""
