"""What can go wrong; each error is also the built-in one that Python programs expect."""

from __future__ import annotations

from .._public import public


@public("kauri")
class KauriError(Exception):
    """What the library reports; the message says what is wrong, the value seen and the cure."""


@public("kauri")
class ParameterError(KauriError, ValueError):
    """A parameter's or an argument's name or value."""


@public("kauri")
class DataError(KauriError, ValueError):
    """Labels, features, shapes or text files."""


@public("kauri")
class ModelError(KauriError, ValueError):
    """A model file, or a model that does not fit the call."""


@public("kauri")
class FileError(KauriError, OSError):
    """The file system."""


@public("kauri")
class DeviceError(KauriError):
    """No CUDA plug-in, no driver or no device."""


@public("kauri")
class OutOfMemoryError(KauriError, MemoryError):
    """Not enough memory."""


@public("kauri")
class InternalError(KauriError):
    """A bug in the library."""
