"""HTML for notebooks, without scripts, in the notebook's colors."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Sequence, Tuple

_COLORS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#eeca3b")
_CELL = 'style="text-align: {}; padding: 1px 8px"'
_MOST_ROWS = 20


def table_html(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table of texts; the first column is aligned to the left."""
    styles = [_CELL.format("left" if i == 0 else "right") for i in range(len(titles))]
    head = "".join(f"<th {s}>{escape(t)}</th>" for s, t in zip(styles, titles))
    body = "".join("<tr>" + "".join(f"<td {s}>{escape(c)}</td>" for s, c in zip(styles, row)) + "</tr>" for row in rows[:_MOST_ROWS])
    more = f"<div>… and {len(rows) - _MOST_ROWS} more</div>" if len(rows) > _MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def section_html(title: str, rows: Sequence[Tuple[str, str, str]]) -> str:
    """Returns metrics with their values; documentation is in tooltips."""
    cells = "".join(
        f'<tr title="{escape(doc)}"><td {_CELL.format("left")}>{escape(name)}</td><td {_CELL.format("right")}>{escape(value)}</td></tr>'
        for name, value, doc in rows
    )
    return f'<div style="display: inline-block; vertical-align: top; margin-right: 2em"><b>{escape(title)}</b><table>{cells}</table></div>'


def report_html(parts: Sequence[Tuple[str, Any, Any]]) -> str:
    """Returns sections of metrics in a row, followed by tables."""
    sections = "".join(section_html(title, rows) for title, titles, rows in parts if titles is None)
    tables = "".join(f"<b>{escape(title)}</b>{table_html(titles, list(zip(*columns)))}" for title, titles, columns in parts if titles is not None)
    return f"<div>{sections}</div>{tables}"


def bars_html(stacks: Dict[str, Any]) -> str:
    """Returns a horizontal bar of parts for each row, with a line at the limit."""
    most = max([stacks["limit"], *(sum(max(0.0, n) for n, _ in row) for row in stacks["rows"])], default=0.0)
    if most <= 0:
        return ""
    bars = []
    for name, row in zip(stacks["names"], stacks["rows"]):
        parts = "".join(
            f'<span title="{escape(part)}: {escape(text)}" style="display: inline-block; height: 14px; '
            f'width: {max(0.0, number) / most * 100:.3f}%; background: {_COLORS[i % len(_COLORS)]}"></span>'
            for i, (part, (number, text)) in enumerate(zip(stacks["parts"], row))
        )
        limit = stacks["limit"] / most * 100
        mark = f'<span style="position: absolute; left: {limit:.3f}%; top: -2px; height: 18px; border-left: 2px solid currentColor"></span>' if limit else ""
        bars.append(
            f'<tr><td {_CELL.format("right")}>{escape(name)}</td><td style="width: 420px; padding: 1px 8px">'
            f'<div style="position: relative; width: 400px; line-height: 0; text-align: left; white-space: nowrap">{parts}{mark}</div></td></tr>'
        )
    key = " ".join(f'<span style="color: {_COLORS[i % len(_COLORS)]}">■</span> {escape(p)}' for i, p in enumerate(stacks["parts"]))
    limit_text = f"; the line: {escape(stacks['limit_text'])}" if stacks["limit"] else ""
    return f"<div><b>{escape(stacks['title'])}</b> {key}{limit_text}<table>{''.join(bars)}</table></div>"


def run_html(title: str, headline: Sequence[Tuple[str, str]], violations: Sequence[str], stacks: Sequence[Dict[str, Any]], parts: Sequence[Any]) -> str:
    """Returns the summary of a run."""
    figures = " · ".join(f"{escape(word)} <b>{escape(text)}</b>" for word, text in headline)
    wrong = "".join(f'<div style="color: #c0392b">infeasible: {escape(v)}</div>' for v in violations)
    sections = [p for p in parts if p[1] is None]
    tables = [p for p in parts if p[1] is not None][:1]
    return f"<div><div><b>{escape(title)}</b></div><div>{figures}</div>{wrong}{''.join(map(bars_html, stacks))}{report_html([*sections, *tables])}</div>"


def tree_html(lines: List[str], children: str, opened: bool) -> str:
    """Returns a line that expands by a click if it has content."""
    first, *rest = lines
    more = "".join(f'<div style="margin-left: 2.2em; opacity: 0.75">{line}</div>' for line in rest)
    if not children and not more:
        return f'<div style="margin-left: 1.2em">{first}</div>'
    inside = f'<div style="margin-left: 1.2em">{children}</div>'
    return f"<details{' open' if opened else ''}><summary>{first}</summary>{more}{inside}</details>"
