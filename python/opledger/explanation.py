"""Explanations of numbers."""

from __future__ import annotations

import json
from html import escape
from typing import Any, Dict, Iterator, List, Mapping, Optional

from .notebook import tree_html
from .quantity import Quantity


class Step:
    """A number of an explanation: its formula, the formula's place, and its operands."""

    def __init__(self, node: Mapping[str, Any], definitions: Mapping[int, Mapping[str, Any]]) -> None:
        self._node = node
        self._definition = definitions.get(node.get("definition", -1), {})
        self.children = [Step(child, definitions) for child in node.get("children", [])]

    children: List["Step"]

    @property
    def name(self) -> str:
        """The name of the number."""
        return str(self._node.get("name", ""))

    @property
    def value(self) -> Any:
        """The value, a Quantity for numbers."""
        value = self._node.get("value")
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Quantity(value, self.name, str(self._node.get("unit", "1")), self.doc, str(self._node.get("shown", "")))
        return value

    @property
    def formula(self) -> str:
        """The formula as written; may be empty."""
        return str(self._definition.get("formula", ""))

    @property
    def put_in(self) -> str:
        """The formula with values instead of names; empty if it adds nothing."""
        return str(self._node.get("put_in", ""))

    @property
    def doc(self) -> str:
        """The documentation of the definition."""
        return str(self._definition.get("doc", ""))

    @property
    def source(self) -> str:
        """The source of the formula, such as a paper."""
        return str(self._definition.get("source", ""))

    @property
    def place(self) -> str:
        """The place of the definition: `FILE:LINE:COLUMN`."""
        d = self._definition
        return f"{d['file']}:{d['line']}:{d['column']}" if "file" in d else ""

    def __iter__(self) -> Iterator["Step"]:
        return iter(self.children)

    def __getitem__(self, name: str) -> "Step":
        for child in self.children:
            if child.name == name:
                return child
        from .errors import UnknownNameError

        raise UnknownNameError(f"`{self.name}` is not made of `{name}`: there are {', '.join(c.name for c in self.children) or 'no others'}")

    def _ipython_key_completions_(self) -> List[str]:
        return [child.name for child in self.children]

    def __repr__(self) -> str:
        return f"{self._title()} = {self._node.get('shown', '')}"

    def _title(self) -> str:
        where = self._node.get("where", "")
        return f"{self._node.get('joined_by', '')} {self.name} {where}".strip()

    def _html(self, opened: bool = False) -> str:
        lines = [f"{escape(self._title())} = <b>{escape(str(self._node.get('shown', '')))}</b>"]
        lines += [f"<code>{escape(f)}</code>" for f in (self.formula, self.put_in and "= " + self.put_in, self._node.get("because", "")) if f]
        lines += [escape(t) for t in (self.doc, self.source, self.place) if t]
        if self._node.get("more"):
            lines.append(f"… and {self._node['more']} more")
        return tree_html(lines, "".join(child._html() for child in self.children), opened)

    _repr_html_ = _html


class Explanation:
    """The computation of numbers. `print()` shows it as a tree; in a notebook, the tree opens by clicks."""

    def __init__(self, text: str, document: str) -> None:
        self.text = text.strip("\n")
        self.data: Dict[str, Any] = json.loads(document)  #: The content of `explain --format json`.
        definitions = {d["id"]: d for d in self.data["definitions"]}
        self.steps = [Step(name, definitions) for name in self.data["names"]]  #: The requested numbers.
        self.nodes: List[Dict[str, Any]] = self.data["nodes"]  #: The requested operators: placement, messages, saved tensors.
        self._quantities = [[Step(q, definitions) for q in node.get("quantities", [])] for node in self.nodes]

    @property
    def tree(self) -> Optional[Step]:
        """The requested number; None for a request of operators."""
        return self.steps[0] if self.steps else None

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        trees = "".join(step._html(opened=True) for step in self.steps)
        for node, quantities in zip(self.nodes, self._quantities):
            first = f"<b>{escape(node['name'])}</b> {escape(node['operator'])}"
            lines = [first, *(escape(t) for t in (node["doc"], node["source"]) if t)]
            lines += [f"{escape(p.get('dimension', ''))} over {escape(p.get('axes', ''))}" for p in node["placement"]]
            trees += tree_html(lines, "".join(q._html() for q in quantities), len(self.nodes) == 1)
        return f'<div style="font-size: 90%; text-align: left">{trees}</div>'
