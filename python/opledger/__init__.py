"""Costs of training and serving language models on a cluster: memory, FLOPs, communication and time.

    import opledger as ol
    run = ol.Run("gpt3-175b", "gpt3-175b-64xa100", "a100-80g-sxm")
    run.mfu, run["memory"], run.table("stages")

NumPy and pandas are imported by the first function that returns a table.
"""

from .compiled import unsuitable

try:
    from ._core import version as __version__
except ImportError as _error:
    raise unsuitable(_error) from None

from .documents import Document, Model, catalogue, documents
from .errors import DocumentError, DocumentWarning, Error, InterruptedSearchWarning, Message, UnknownNameError
from .explanation import Explanation, Step
from .page import Page
from .quantity import Quantity
from .report import Report
from .run import Run
from .search import Search, SearchResult, Status, search
from .table import evaluate

for _public in (Document, DocumentError, DocumentWarning, Error, Explanation, InterruptedSearchWarning, Message, Model, Page, Quantity, Report, Run, Search,
               SearchResult, Status, Step, UnknownNameError):
    _public.__module__ = "opledger"  # as users name them, in tracebacks and help
del _public, unsuitable

__all__ = [
    "Document",
    "DocumentError",
    "DocumentWarning",
    "Error",
    "Explanation",
    "InterruptedSearchWarning",
    "Message",
    "Model",
    "Page",
    "Quantity",
    "Report",
    "Run",
    "Search",
    "SearchResult",
    "Status",
    "Step",
    "UnknownNameError",
    "__version__",
    "catalogue",
    "documents",
    "evaluate",
    "search",
]
