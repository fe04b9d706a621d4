"""The table of signatures matches include/kauri/c_api.h for every call."""

from __future__ import annotations

import ctypes
import re
from ctypes import (
    POINTER,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_uint,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any

import pytest
from kauriboost._binding.library import LIB
from kauriboost._binding.signatures import (
    ARGUMENTS,
    RESULTS,
    CollectiveCalls,
    GameCallback,
    LogCallback,
    NextCallback,
    ResetCallback,
    RowFunctionCallback,
)

HEADER = Path(__file__).resolve().parents[3] / "include" / "kauri" / "c_api.h"
DECLARATION = re.compile(r"KAURI_API\s+([^;()]*?)(\w+)\(((?:[^;()]|\([^()]*\))*)\);")
TYPES: dict[str, Any] = {
    "char": c_char,
    "double": c_double,
    "float": c_float,
    "int": c_int,
    "unsigned": c_uint,
    "void": None,
    "bst_ulong": c_uint64,
    "int32_t": c_int32,
    "int64_t": c_int64,
    "uint8_t": c_uint8,
    "uint64_t": c_uint64,
    "uint32_t": c_uint32,
    "XGDMatrixCallbackNext*": NextCallback,
    "DataIterResetCallback*": ResetCallback,
    "KauriGame*": GameCallback,
    "KauriRowFunction*": RowFunctionCallback,
    "void(*callback)(int,char*)": LogCallback,
    **dict.fromkeys(["void*", "struct ArrowSchema*", "struct ArrowArray*", "struct ArrowArrayStream*"], c_void_p),
    **dict.fromkeys(["DMatrixHandle", "BoosterHandle", "CategoriesHandle", "DataIterHandle"], c_void_p),
    **dict.fromkeys(["KauriDeviceArrayHandle", "KauriHostArrayHandle", "KauriCollectiveHandle"], c_void_p),
    "KauriCollectiveCalls": CollectiveCalls,
}
# Calls that the package does not use: older forms of others, and calls that only other languages need.
NOT_CALLED = """
    XGBGetLastErrorCode XGCommunicatorAllgather
    XGBRegisterLogCallback XGDMatrixCreateFromMat XGDMatrixCreateFromMat_omp XGDMatrixSliceDMatrix
    XGBoosterTrainOneIterWithSplitGrad
    XGDMatrixSetFloatInfo XGDMatrixSetUIntInfo XGDMatrixSetDenseInfo XGDMatrixGetFloatInfo XGDMatrixGetUIntInfo
    XGDMatrixDataSplitMode XGDMatrixGetCategories XGBoosterBoostOneIter XGBoosterSaveModel XGBoosterDumpModel
    XGBoosterDumpModelWithFeatures XGBoosterDumpModelExWithFeatures XGBoosterGetCategories XGCommunicatorGetRank
    XGCommunicatorGetWorldSize XGCommunicatorIsDistributed XGCommunicatorInit XGCommunicatorFinalize XGCommunicatorPrint
    XGCommunicatorGetProcessorName XGCommunicatorBroadcast XGCommunicatorAllreduce XGCommunicatorSignalError
    XGTrackerCreate XGTrackerWorkerArgs XGTrackerRun XGTrackerWaitFor XGTrackerFree
    XGBoosterPredict XGDMatrixCreateFromDataIter
"""


def declared() -> dict[str, tuple[str, str]]:
    """Return the result and the parameters of every function in the header, as written."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    return {name: (result, parameters) for result, name, parameters in DECLARATION.findall(text)}


def type_of(parameter: str) -> Any:
    """Return the ctypes type of a parameter, for example `char const** out`."""
    words = re.sub(r"\bconst\b", "", parameter)
    if "(*" not in words:
        words = re.sub(r"\w+(\[\])?\s*$", lambda match: "*" if match[1] else "", words)  # the parameter's name
    words = re.sub(r"\s*([*(),])\s*", r"\1", " ".join(words.split()))
    if words in TYPES:
        return TYPES[words]
    assert words.endswith("*"), f"{parameter!r}: say in TYPES what it is"
    return POINTER(type_of(f"{words[:-1]} name"))


def kind(argument: Any) -> Any:
    """Return a type without the distinction between texts and buffers, which are both pointers to char in C."""
    if argument is c_char_p:
        return POINTER(c_char)
    target = getattr(argument, "_type_", None)
    return POINTER(kind(target)) if isinstance(target, type) and issubclass(argument, ctypes._Pointer) else argument


def parameters_of(text: str) -> list[Any]:
    parts = [] if text.strip() in ("", "void") else re.split(r",(?![^()]*\))", text)
    return [kind(type_of(part.strip())) for part in parts]


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_signature_is_that_of_the_header(name: str) -> None:
    result, parameters = declared()[name]
    assert [kind(argument) for argument in ARGUMENTS[name]] == parameters_of(parameters)
    assert kind(RESULTS.get(name, c_int)) == kind(type_of(f"{result.strip()} name"))
    assert getattr(LIB, name).argtypes == ARGUMENTS[name]


def test_every_function_is_called_or_known_not_to_be() -> None:
    names = set(declared())
    assert len(names) > 100
    assert names - set(ARGUMENTS) == set(NOT_CALLED.split())


def test_the_table_of_callbacks_is_that_of_the_header() -> None:
    text = HEADER.read_text(encoding="utf-8")
    (body,) = re.findall(r"typedef struct KauriCollectiveCalls \{(.*?)\} KauriCollectiveCalls;", text, re.DOTALL)
    members = re.findall(r"^ *([\w ]+?\*?) ?\(\*(\w+)\)\(([^)]*)\);", body, re.MULTILINE)
    names = [name for name, _ in CollectiveCalls._fields_]
    assert names == ["size", *(name for _, name, _ in members)]
    for result, name, parameters in members:
        callback = dict(CollectiveCalls._fields_)[name]
        assert [kind(argument) for argument in callback._argtypes_] == parameters_of(parameters), name
        is_text = "*" in result  # passed as an address
        assert callback._restype_ == (c_void_p if is_text else type_of(f"{result} name")), name


def test_the_comparison_can_fail() -> None:
    assert parameters_of("BoosterHandle handle, char const** out") == [c_void_p, POINTER(POINTER(c_char))]
    assert parameters_of("DMatrixHandle const dmats[], bst_ulong len") == [POINTER(c_void_p), c_uint64]
    assert parameters_of("void (*callback)(int, char const*)") == [LogCallback]
    assert parameters_of("void const* buf") == [c_void_p]
    assert parameters_of("float* out") != parameters_of("float const** out")
