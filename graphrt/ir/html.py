"""Texts as a notebook shows them: a heading, and parts that fold."""

from __future__ import annotations

from html import escape


def folded(title: str, parts: dict[str, str]) -> str:
    """A heading above texts of fixed width; the first one is open.

    >>> folded("f", {"graph": "a < b"})
    '<div><b>f</b><details open><summary>graph</summary><pre>a &lt; b</pre></details></div>'
    """
    found = [
        f"<details{'' if number else ' open'}><summary>{escape(name)}</summary><pre>{escape(text)}</pre></details>"
        for number, (name, text) in enumerate(parts.items())
    ]
    return f"<div><b>{escape(title)}</b>{''.join(found)}</div>"
