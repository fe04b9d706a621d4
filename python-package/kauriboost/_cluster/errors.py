"""Exceptions as texts, for messages between the workers of a training."""

from __future__ import annotations

import base64
import pickle


def packed(error: Exception | None) -> str | None:
    """Return an exception as a text; one that cannot be pickled becomes a RuntimeError with its message."""
    if error is None:
        return None
    try:
        text = pickle.dumps(error)
        pickle.loads(text)
    except Exception:
        text = pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return base64.b64encode(text).decode()


def unpacked(text: str) -> bytes:
    """Return the pickled exception in a text of `packed`."""
    return base64.b64decode(text)
