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


def paragraph(text: str | Markup) -> Markup:
    """Return a short introductory paragraph."""
    return Markup(f'<p class="about">{html_of(text)}</p>')


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


def picture(address: str, description: str) -> Markup:
    """Return an image with its description as alternative text."""
    return Markup(f'<img src="{escape(address)}" alt="{escape(description)}">')
