"""What can go wrong; each error is also the built-in one that Python programs expect."""

from __future__ import annotations

from .._public import public


@public("kauriboost")
class KauriError(Exception):
    """What the library reports; the message says what is wrong, the value seen and the cure."""


@public("kauriboost")
class ParameterError(KauriError, ValueError):
    """A parameter's or an argument's name or value."""


@public("kauriboost")
class DataError(KauriError, ValueError):
    """Labels, features, shapes or text files."""


@public("kauriboost")
class ModelError(KauriError, ValueError):
    """A model file, or a model that does not fit the call."""


@public("kauriboost")
class FileError(KauriError, OSError):
    """The file system."""


@public("kauriboost")
class DeviceError(KauriError):
    """No CUDA plug-in, no driver or no device."""


@public("kauriboost")
class OutOfMemoryError(KauriError, MemoryError):
    """Not enough memory."""


@public("kauriboost")
class CollectiveError(KauriError):
    """Another of the ranks that learn a model together, or the way to it."""


@public("kauriboost")
class InternalError(KauriError):
    """A bug in the library."""
