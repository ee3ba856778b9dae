"""The explorer's page of a run."""

from __future__ import annotations

import os
from base64 import b64encode
from typing import Union

from . import _core


class Page:
    """A page for a browser. A notebook shows it in a frame; `save()` writes a file that opens without a server."""

    def __init__(self, html: str, height: int = 800) -> None:
        self.html = html
        self.height = height

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page atomically; a name that ends in `.gz` is compressed."""
        _core.write(os.fspath(path), self.html)

    def __repr__(self) -> str:
        return f"<opledger.Page of {len(self.html) // 1000:,} kB: a notebook shows it, .save('run.html') writes it>"

    def _repr_html_(self) -> str:
        # The page is a data URL. In `srcdoc`, its links, which begin with `#`, would lead to the notebook. The sandbox allows the page's own scripts,
        # but no access to the notebook.
        page = b64encode(self.html.encode()).decode()
        return (
            f'<iframe src="data:text/html;charset=utf-8;base64,{page}" sandbox="allow-scripts allow-downloads" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )
