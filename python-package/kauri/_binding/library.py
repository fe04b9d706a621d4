"""All of the ctypes: the library, the signature of every call, errors, and arrays on their way in and out."""

from __future__ import annotations

import ctypes
import json
import logging
import os
from ctypes import POINTER, byref, c_char_p, c_float, c_int, c_int64, c_uint, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable

import numpy as np

from .copies import copy_of
from .errors import (
    DataError,
    DeviceError,
    FileError,
    InternalError,
    KauriError,
    ModelError,
    OutOfMemoryError,
    ParameterError,
)

Handle = c_void_p
_Out = POINTER
_STRINGS = _Out(POINTER(c_char_p))
_SHAPE = POINTER(c_uint64)
_LENGTH = POINTER(c_uint64)
_PREDICTION = [_Out(_SHAPE), _LENGTH, _Out(POINTER(c_float))]
_SPARSE = [_Out(POINTER(kind)) for kind in (c_int64, c_uint32, c_uint32, c_float)]
_BYTES = [_LENGTH, _Out(POINTER(ctypes.c_char))]
_LOG_CALLBACK = ctypes.CFUNCTYPE(None, c_int, c_char_p)

# Argument types of every function that returns a status.
_SIGNATURES: dict[str, list[Any]] = {
    "KauriGetParameters": [_Out(c_char_p)],
    "KauriNumThreads": [c_int, POINTER(c_int)],
    "KauriShuffle": [c_uint64, c_uint64, c_uint64, POINTER(c_uint64)],
    "XGBuildInfo": [_Out(c_char_p)],
    "KauriRegisterLogCallback": [_LOG_CALLBACK],
    "XGBSetGlobalConfig": [c_char_p],
    "XGBGetGlobalConfig": [_Out(c_char_p)],
    "XGDMatrixCreateFromURI": [c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromDense": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCSR": [c_char_p, c_char_p, c_char_p, c_uint64, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCSC": [c_char_p, c_char_p, c_char_p, c_uint64, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromColumnar": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCudaArrayInterface": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCudaColumnar": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixFree": [Handle],
    "XGDMatrixSliceDMatrixEx": [Handle, POINTER(c_int), c_uint64, _Out(Handle), c_int],
    "XGDMatrixSetInfoFromInterface": [Handle, c_char_p, c_char_p],
    "XGDMatrixSetStrFeatureInfo": [Handle, c_char_p, POINTER(c_char_p), c_uint64],
    "XGDMatrixGetStrFeatureInfo": [Handle, c_char_p, _LENGTH, _STRINGS],
    "XGDMatrixGetInfoRef": [Handle, c_char_p, _Out(c_char_p)],
    "XGDMatrixNumRow": [Handle, _LENGTH],
    "XGDMatrixNumCol": [Handle, _LENGTH],
    "XGDMatrixNumNonMissing": [Handle, _LENGTH],
    "XGDMatrixGetDataAsCSR": [Handle, c_char_p, POINTER(c_uint64), POINTER(c_uint), POINTER(c_float)],
    "XGProxyDMatrixCreate": [_Out(Handle)],
    "XGProxyDMatrixSetDataDense": [Handle, c_char_p],
    "XGProxyDMatrixSetDataCSR": [Handle, c_char_p, c_char_p, c_char_p, c_uint64],
    "XGProxyDMatrixSetDataColumnar": [Handle, c_char_p],
    "XGProxyDMatrixSetDataCudaArrayInterface": [Handle, c_char_p],
    "XGProxyDMatrixSetDataCudaColumnar": [Handle, c_char_p],
    "XGBoosterCreate": [POINTER(Handle), c_uint64, _Out(Handle)],
    "XGBoosterFree": [Handle],
    "XGBoosterReset": [Handle],
    "XGBoosterSlice": [Handle, c_int, c_int, c_int, _Out(Handle)],
    "XGBoosterBoostedRounds": [Handle, _Out(c_int)],
    "XGBoosterSetParam": [Handle, c_char_p, c_char_p],
    "XGBoosterGetNumFeature": [Handle, _LENGTH],
    "XGBoosterUpdateOneIter": [Handle, c_int, Handle],
    "XGBoosterTrainOneIter": [Handle, Handle, c_int, c_char_p, c_char_p],
    "KauriBoosterHigherIsBetter": [Handle, c_char_p, _Out(c_int)],
    "XGBoosterEvalOneIter": [Handle, c_int, POINTER(Handle), POINTER(c_char_p), c_uint64, _Out(c_char_p)],
    "XGBoosterPredictFromDMatrix": [Handle, Handle, c_char_p, *_PREDICTION],
    "XGBoosterPredictFromDense": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromCSR": [Handle, c_char_p, c_char_p, c_char_p, c_uint64, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromColumnar": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromCudaArray": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromCudaColumnar": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
    "KauriBoosterPredictOnDevice": [Handle, Handle, c_char_p, *_PREDICTION],
    "KauriBoosterTakePrediction": [Handle, _Out(Handle)],
    "KauriDeviceArrayToHost": [Handle, POINTER(c_float)],
    "KauriDeviceArrayFree": [Handle],
    "KauriBoosterCountRows": [Handle, Handle],
    "KauriBoosterExplain": [Handle, Handle, Handle, c_char_p, *_PREDICTION],
    "KauriBoosterExplainSparse": [Handle, Handle, c_char_p, _LENGTH, *_SPARSE],
    "XGBoosterLoadModel": [Handle, c_char_p],
    "KauriBoosterSaveModel": [Handle, c_char_p, c_char_p],
    "XGBoosterLoadModelFromBuffer": [Handle, c_char_p, c_uint64],
    "XGBoosterSaveModelToBuffer": [Handle, c_char_p, *_BYTES],
    "XGBoosterSerializeToBuffer": [Handle, *_BYTES],
    "XGBoosterUnserializeFromBuffer": [Handle, c_char_p, c_uint64],
    "XGBoosterSaveJsonConfig": [Handle, *_BYTES],
    "XGBoosterLoadJsonConfig": [Handle, c_char_p],
    "XGBoosterDumpModelEx": [Handle, c_char_p, c_int, c_char_p, _LENGTH, _STRINGS],
    "XGBoosterGetAttr": [Handle, c_char_p, _Out(c_char_p), _Out(c_int)],
    "XGBoosterSetAttr": [Handle, c_char_p, c_char_p],
    "XGBoosterGetAttrNames": [Handle, _LENGTH, _STRINGS],
    "XGBoosterSetStrFeatureInfo": [Handle, c_char_p, POINTER(c_char_p), c_uint64],
    "XGBoosterGetStrFeatureInfo": [Handle, c_char_p, _LENGTH, _STRINGS],
    "XGBoosterFeatureScore": [
        Handle,
        c_char_p,
        _LENGTH,
        _STRINGS,
        _LENGTH,
        _Out(_SHAPE),
        _Out(POINTER(c_float)),
    ],
}


_ERRORS: list[type[KauriError]] = [
    InternalError,
    ParameterError,
    DataError,
    ModelError,
    FileError,
    DeviceError,
    OutOfMemoryError,
    InternalError,
]


def _find_library() -> Path:
    """KAURI_LIBRARY alone when it is set, else the package's own, else the checkout's build folder."""
    if given := os.environ.get("KAURI_LIBRARY"):
        return Path(given)
    package = Path(__file__).resolve().parents[1]
    places = [package / "lib" / "libkauri.so", package.parent.parent / "build" / "lib" / "libkauri.so"]
    for place in places:
        if place.exists():
            return place
    looked = " and ".join(str(place) for place in places)
    raise ImportError(f"libkauri.so is neither at {looked}; build it, or set KAURI_LIBRARY to its path.")


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_find_library()))
    for name, argtypes in _SIGNATURES.items():
        function = getattr(library, name)
        function.argtypes = argtypes
        function.restype = c_int
    for name in ("KauriVersion", "XGBGetLastError"):
        getattr(library, name).argtypes = []
        getattr(library, name).restype = c_char_p
    library.KauriGetLastErrorKind.argtypes = []
    library.KauriGetLastErrorKind.restype = c_int
    return library


LIB = _load()
_logger = logging.getLogger("kauri")
_LOG_LEVELS = {1: logging.WARNING, 2: logging.INFO, 3: logging.DEBUG}


@_LOG_CALLBACK
def _log(level: int, line: bytes) -> None:
    _logger.log(_LOG_LEVELS[level], line.decode(errors="replace"))


def check(status: int) -> None:
    """Raise the error of the call that has just returned `status`."""
    if status == 0:
        return
    error = _ERRORS[LIB.KauriGetLastErrorKind()]
    raise error(LIB.XGBGetLastError().decode(errors="replace"))


check(LIB.KauriRegisterLogCallback(_log))


def num_threads(nthread: int = 0) -> int:
    """Return how many threads `nthread` stands for; 0: the default of this process."""
    out = c_int()
    check(LIB.KauriNumThreads(nthread, byref(out)))
    return out.value


def encode(text: str | os.PathLike[str]) -> bytes:
    """Return a C string of a file name, which keeps bytes that are not UTF-8."""
    return os.fsencode(text)


def encode_text(text: str) -> bytes:
    """Return a C string of a name or a value; what `decode` made of bytes that are not UTF-8 becomes them again."""
    return text.encode(errors="surrogateescape")


def decode(text: bytes) -> str:
    """Return a text of the library, whose names and attributes may be any bytes."""
    return text.decode(errors="surrogateescape")


def config(**members: Any) -> bytes:
    """Return a JSON configuration; NaN and infinities are written bare.

    Of a file name, bytes that are not UTF-8 stay what they are; no other reader of JSON would take them.
    """
    return encode_text(json.dumps(members, ensure_ascii=False))


# ---- arrays on their way in ------------------------------------------------------------------------------------------


def interface_members(array: np.ndarray) -> dict[str, Any]:
    """Return NumPy's array interface as JSON can hold it; the array must outlive its use."""
    members = array.__array_interface__
    return {
        "data": [members["data"][0], True],
        "typestr": members["typestr"],
        "shape": list(members["shape"]),
        "strides": None if members["strides"] is None else list(members["strides"]),
        "version": 3,
    }


def interface(array: np.ndarray) -> bytes:
    """Return NumPy's array interface as JSON; the array must outlive its use."""
    return json.dumps(interface_members(array)).encode()


def strings_in(strings: list[str]) -> Any:
    """Return a C array of strings."""
    return (c_char_p * len(strings))(*(encode_text(text) for text in strings))


def handles_in(handles: list[Handle]) -> Any:
    """Return a C array of handles."""
    return (Handle * len(handles))(*handles)


# ---- results on their way out ----------------------------------------------------------------------------------------


def call_handle(function: Callable[..., int], *args: Any) -> Handle:
    """Call a function whose last argument receives a handle."""
    out = Handle()
    check(function(*args, byref(out)))
    return out


def call_count(function: Callable[..., int], *args: Any) -> int:
    """Call a function whose last argument receives a count."""
    out = c_uint64()
    check(function(*args, byref(out)))
    return out.value


def call_text(function: Callable[..., int], *args: Any) -> str:
    """Call a function whose last argument receives a text."""
    out = c_char_p()
    check(function(*args, byref(out)))
    return decode(out.value or b"")


def call_bytes(function: Callable[..., int], *args: Any) -> bytearray:
    """Call a function whose last arguments receive a length and bytes."""
    length = c_uint64()
    out = POINTER(ctypes.c_char)()
    check(function(*args, byref(length), byref(out)))
    return bytearray(ctypes.string_at(out, length.value))


def call_strings(function: Callable[..., int], *args: Any) -> list[str]:
    """Call a function whose last arguments receive a count and strings."""
    length = c_uint64()
    out = POINTER(c_char_p)()
    check(function(*args, byref(length), byref(out)))
    return [decode(out[i]) for i in range(length.value)]


def call_prediction(function: Callable[..., int], *args: Any) -> np.ndarray:
    """Call a function whose last arguments receive a shape and float32 values; they are copied."""
    shape = POINTER(c_uint64)()
    dim = c_uint64()
    values = POINTER(c_float)()
    check(function(*args, byref(shape), byref(dim), byref(values)))
    return _copied(values, tuple(shape[i] for i in range(dim.value)))


def call_sparse(booster: Handle, matrix: Handle, n_rows: int, settings: bytes) -> tuple[int, list[np.ndarray]]:
    """Call KauriBoosterExplainSparse: the number of outputs; begin, first, second and values."""
    n_outputs = c_uint64()
    begin, first, second, values = POINTER(c_int64)(), POINTER(c_uint32)(), POINTER(c_uint32)(), POINTER(c_float)()
    outs = [byref(pointer) for pointer in (begin, first, second, values)]
    check(LIB.KauriBoosterExplainSparse(booster, matrix, settings, byref(n_outputs), *outs))
    n_blocks = n_rows * n_outputs.value
    n_entries = begin[n_blocks]
    entries = [_copied(pointer, (n_entries,)) for pointer in (first, second, values)]
    return n_outputs.value, [_copied(begin, (n_blocks + 1,)), *entries]


def call_device_prediction(
    booster: Handle, function: Callable[..., int], *args: Any
) -> tuple[Handle, int, tuple[int, ...]]:
    """Call a function that predicts in device memory: (the memory's owner, its address, the shape)."""
    shape = POINTER(c_uint64)()
    dim = c_uint64()
    values = POINTER(c_float)()
    check(function(booster, *args, byref(shape), byref(dim), byref(values)))
    lengths = tuple(shape[i] for i in range(dim.value))
    address = ctypes.cast(values, c_void_p).value or 0
    return call_handle(LIB.KauriBoosterTakePrediction, booster), address, lengths


def device_to_host(handle: Handle, size: int) -> np.ndarray:
    """Call KauriDeviceArrayToHost for an array of `size` numbers."""
    values = np.empty(size, dtype=np.float32)
    check(LIB.KauriDeviceArrayToHost(handle, values.ctypes.data_as(POINTER(c_float))))
    return values


def call_scores(function: Callable[..., int], *args: Any) -> tuple[list[str], np.ndarray]:
    """Call XGBoosterFeatureScore: the names of the features and their scores."""
    n_features = c_uint64()
    names = POINTER(c_char_p)()
    shape = POINTER(c_uint64)()
    dim = c_uint64()
    scores = POINTER(c_float)()
    check(function(*args, byref(n_features), byref(names), byref(dim), byref(shape), byref(scores)))
    values = _copied(scores, tuple(shape[i] for i in range(dim.value)))
    return [decode(names[i]) for i in range(n_features.value)], values


def call_attribute(handle: Handle, key: str) -> str | None:
    """Call XGBoosterGetAttr."""
    out = c_char_p()
    success = c_int()
    check(LIB.XGBoosterGetAttr(handle, encode_text(key), byref(out), byref(success)))
    return decode(out.value) if success.value and out.value is not None else None


def call_int(function: Callable[..., int], *args: Any) -> int:
    """Call a function whose last argument receives an int."""
    out = c_int()
    check(function(*args, byref(out)))
    return out.value


def call_slice(handle: Handle, begin: int, end: int, step: int) -> Handle:
    """Call XGBoosterSlice. Raises IndexError for rounds that the booster does not have."""
    out = Handle()
    status = LIB.XGBoosterSlice(handle, begin, end, step, byref(out))
    if status == -2:
        raise IndexError(LIB.XGBGetLastError().decode())
    check(status)
    return out


def array_from_interface(text: str) -> np.ndarray:
    """Return a copy of the array that an array interface describes."""
    members = json.loads(text)
    kind = {"<f4": c_float, "<u4": c_uint, "<u8": c_uint64}[members["typestr"]]
    pointer = ctypes.cast(c_void_p(members["data"][0]), POINTER(kind))
    return _copied(pointer, tuple(members["shape"]))


def _copied(pointer: Any, shape: tuple[int, ...]) -> np.ndarray:
    if 0 in shape:
        return np.empty(shape, dtype=np.dtype(pointer._type_))
    return copy_of(np.ctypeslib.as_array(pointer, shape=shape), num_threads())
