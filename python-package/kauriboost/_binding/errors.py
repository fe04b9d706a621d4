"""Exceptions; each is also the built-in exception that Python programs expect."""

from __future__ import annotations

from .._public import public


@public("kauriboost")
class KauriError(Exception):
    """Base of the library's errors; the message states the problem, the value seen and the cure."""


@public("kauriboost")
class ParameterError(KauriError, ValueError):
    """A wrong name or value of a parameter or argument."""


@public("kauriboost")
class DataError(KauriError, ValueError):
    """Wrong labels, features, shapes or text files."""


@public("kauriboost")
class ModelError(KauriError, ValueError):
    """A damaged model file, or a model that does not fit the call."""


@public("kauriboost")
class FileError(KauriError, OSError):
    """An error of the file system."""


@public("kauriboost")
class DeviceError(KauriError):
    """No CUDA plug-in, no driver or no device."""


@public("kauriboost")
class OutOfMemoryError(KauriError, MemoryError):
    """Not enough memory."""


@public("kauriboost")
class CollectiveError(KauriError):
    """A failure of another rank that trains the same model, or of the connection to it."""


@public("kauriboost")
class InternalError(KauriError):
    """A bug in the library."""
