"""Says for which Python and C library the compiled part was built, where it can't be loaded."""

from __future__ import annotations

import platform
import sys
from pathlib import Path


def unsuitable(error: ImportError) -> ImportError:
    """Returns the error of a compiled part that can't be loaded here. ``error`` has the reason of Python or of the dynamic loader."""
    built = [path.name.split(".")[1] for path in Path(__file__).parent.glob("_core.*.so")]
    made = f"is for {' and '.join(built)}" if built else "is missing"
    here = f"{sys.implementation.cache_tag} with {' '.join(platform.libc_ver()) or 'another C library'}"
    return ImportError(f"the compiled part of opledger {made}, and this is {here} ({error}): "
                       "install a wheel for this Python and C library, or build one here (docs/python.md)", name=error.name, path=error.path)
