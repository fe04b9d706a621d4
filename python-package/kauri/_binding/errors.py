"""What can go wrong; each error is also the built-in one that Python programs expect."""

from __future__ import annotations


class KauriError(Exception):
    """What the library reports; the message says what is wrong, the value seen and the cure."""


class ParameterError(KauriError, ValueError):
    """A parameter's or an argument's name or value."""


class DataError(KauriError, ValueError):
    """Labels, features, shapes or text files."""


class ModelError(KauriError, ValueError):
    """A model file, or a model that does not fit the call."""


class FileError(KauriError, OSError):
    """The file system."""


class DeviceError(KauriError):
    """No CUDA plug-in, no driver or no device."""


class OutOfMemoryError(KauriError, MemoryError):
    """Not enough memory."""


class InternalError(KauriError):
    """A bug in the library."""
