"""Elements of HTML. Text is escaped here, because names and labels come from untrusted data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Markup:
    """Finished HTML; any other text is escaped when it is inserted."""

    text: str


def html_of(content: str | Markup) -> str:
    """Return the content as HTML."""
    return content.text if isinstance(content, Markup) else escape(content)


def joined(parts: Iterable[str | Markup]) -> Markup:
    """Return the parts concatenated."""
    return Markup("\n".join(map(html_of, parts)))


def paragraph(text: str | Markup, kind: str = "about") -> Markup:
    """Return a paragraph: "about", a short explanation, or "headline", a result in large letters."""
    return Markup(f'<p class="{kind}">{html_of(text)}</p>')


def block(kind: str, parts: Iterable[str | Markup]) -> Markup:
    """Return parts in a box: "pictures", side by side if there is room, or "wide", which scrolls."""
    return Markup(f'<div class="{kind}">{joined(parts).text}</div>')


def heading(text: str) -> Markup:
    """Return a heading within a section."""
    return Markup(f"<h3>{escape(text)}</h3>")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], n_texts: int = 1) -> Markup:
    """Return a table with texts in the first columns, and right-aligned numbers in the others."""

    def cells(tag: str, row: Sequence[str]) -> str:
        kinds = ["" if column < n_texts else ' class="number"' for column in range(len(row))]
        return "".join(f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, row))

    first = f"<thead><tr>{cells('th', head)}</tr></thead>" if head else ""
    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return block("wide", [Markup(f"<table>{first}<tbody>\n{body}\n</tbody></table>")])


def matrix(head: Sequence[str], rows: Iterable[Sequence[str]], shades: Sequence[Sequence[float]]) -> Markup:
    """Return a table with texts at its sides, and cells with a colour as strong as their shade, from 0 to 1."""

    def line(cells: Sequence[str], shade: Sequence[float]) -> str:
        colored = "".join(
            f'<td class="number" style="background: rgba(33, 102, 172, {0.6 * depth:.3f})">{escape(cell)}</td>'
            for cell, depth in zip(cells[1:], shade)
        )
        return f'<tr><th scope="row">{escape(cells[0])}</th>{colored}</tr>'

    first = "".join(
        f'<th scope="col"{" class=number" * bool(place)}>{escape(cell)}</th>' for place, cell in enumerate(head)
    )
    body = "\n".join(line(row, shade) for row, shade in zip(rows, shades))
    return block("wide", [Markup(f"<table><thead><tr>{first}</tr></thead><tbody>\n{body}\n</tbody></table>")])


def folded(summary: str, body: Markup) -> Markup:
    """Return a part that a click on its summary opens."""
    return Markup(f"<details><summary>{escape(summary)}</summary>\n{body.text}\n</details>")


def picture(address: str, description: str) -> Markup:
    """Return an image with its description as alternative text."""
    return Markup(f'<img src="{escape(address)}" alt="{escape(description)}">')


def captioned(caption: str, image: Markup) -> Markup:
    """Return an image below its caption."""
    return Markup(f"<figure><figcaption>{escape(caption)}</figcaption>{image.text}</figure>")
