"""The types of the arguments and the result of every call; a test compares them with include/kauri/c_api.h."""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

Handle = c_void_p
LogCallback = ctypes.CFUNCTYPE(None, c_int, c_char_p)
NextCallback = ctypes.CFUNCTYPE(c_int, c_void_p)
ResetCallback = ctypes.CFUNCTYPE(None, c_void_p)
SumCallback = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_int64), c_uint64)
MaxCallback = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_uint64), c_uint64)
GatherCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_uint64), c_void_p)
AbortCallback = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
GameCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, POINTER(c_uint8), POINTER(c_double))
RowFunctionCallback = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint64, c_uint64, POINTER(c_double), POINTER(c_double))
ErrorCallback = ctypes.CFUNCTYPE(c_void_p, c_void_p)  # returns a text; a result of type c_char_p would leak
SumPartsCallback = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(c_int64), POINTER(c_uint64))


class CollectiveCalls(ctypes.Structure):
    """KauriCollectiveCalls."""

    _fields_ = (
        ("size", c_size_t),
        ("sum", SumCallback),
        ("max", MaxCallback),
        ("gather", GatherCallback),
        ("abort", AbortCallback),
        ("error", ErrorCallback),
        ("sum_parts", SumPartsCallback),
    )


_Out = POINTER  # marks an output argument of a call
_COUNT = _Out(c_uint64)
_TEXT = _Out(c_char_p)
_STRINGS = [_COUNT, _Out(POINTER(c_char_p))]
_BYTES = [_COUNT, _Out(POINTER(c_char))]
_FLOATS = _Out(POINTER(c_float))
_SHAPE = _Out(POINTER(c_uint64))
_SUMMARY = [_SHAPE, _COUNT, _Out(POINTER(c_double))]
_PREDICTION = [_SHAPE, _COUNT, _FLOATS]
_DOUBLES = _Out(c_double)
_ESTIMATE = [_DOUBLES, _DOUBLES, _DOUBLES, _COUNT, _TEXT]
_ITERATOR = [ResetCallback, NextCallback, c_char_p, _Out(Handle)]

ARGUMENTS: dict[str, list[Any]] = {
    # ---- the process ----
    "KauriVersion": [],
    "KauriGetLastErrorKind": [],
    "KauriGetParameters": [_TEXT],
    "KauriFindClasses": [c_char_p, c_uint32, c_int, _Out(c_float), _DOUBLES, _COUNT],
    "KauriNumThreads": [c_int, _Out(c_int)],
    "KauriOrderDiscrepancy": [c_uint64, c_uint64, POINTER(c_uint32), POINTER(c_double), c_char_p, _Out(c_double)],
    "KauriRegisterLogCallback": [LogCallback],
    "KauriSampleOrders": [c_char_p, _Out(c_uint32), _Out(c_double)],
    "KauriShuffle": [c_uint64, c_uint64, c_uint64, _Out(c_uint64)],
    "KauriShuffleOnDevice": [c_uint64, c_uint64, c_uint64, c_char_p, _Out(Handle)],
    "KauriShuffleRows": [c_char_p, c_char_p, c_uint64],
    "KauriShuffleUniformity": [c_uint64, c_uint64, POINTER(c_uint32), c_char_p, _Out(c_double), _Out(c_double)],
    "KauriDistributions": [_TEXT],
    "KauriDistributionEvaluate": [c_char_p, c_uint64, POINTER(c_double), c_uint64, POINTER(c_double), _DOUBLES],
    "XGBoostVersion": [_Out(c_int), _Out(c_int), _Out(c_int)],
    "XGBuildInfo": [_TEXT],
    "XGBGetGlobalConfig": [_TEXT],
    "XGBGetLastError": [],
    "XGBSetGlobalConfig": [c_char_p],
    # ---- Shapley values of anything ----
    "KauriExplainFunction": [
        RowFunctionCallback,
        c_void_p,
        POINTER(c_double),
        c_uint64,
        POINTER(c_double),
        c_uint64,
        c_uint64,
        c_char_p,
        *_ESTIMATE,
    ],
    "KauriShapleyValues": [GameCallback, c_void_p, c_uint64, c_char_p, *_ESTIMATE],
    # ---- matrices ----
    "KauriDMatrixBins": [Handle, c_char_p, _Out(Handle)],
    "KauriDMatrixCreateFromArrowArray": [c_void_p, c_void_p, c_char_p, _Out(Handle)],
    "KauriDMatrixCreateFromArrowStream": [c_void_p, c_char_p, _Out(Handle)],
    "KauriSummarizeBatches": [c_void_p, Handle, ResetCallback, NextCallback, c_char_p, *_SUMMARY],
    "KauriSummarizeColumns": [Handle, c_char_p, *_SUMMARY],
    "XGDMatrixCreateFromCSC": [c_char_p, c_char_p, c_char_p, c_uint64, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCSR": [c_char_p, c_char_p, c_char_p, c_uint64, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCallback": [c_void_p, Handle, *_ITERATOR],
    "XGDMatrixCreateFromColumnar": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCudaArrayInterface": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromCudaColumnar": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromDense": [c_char_p, c_char_p, _Out(Handle)],
    "XGDMatrixCreateFromURI": [c_char_p, _Out(Handle)],
    "XGExtMemQuantileDMatrixCreateFromCallback": [c_void_p, Handle, Handle, *_ITERATOR],
    "XGQuantileDMatrixCreateFromCallback": [c_void_p, Handle, Handle, *_ITERATOR],
    "XGDMatrixFree": [Handle],
    "XGDMatrixGetCategoriesExportToArrow": [Handle, c_char_p, _Out(Handle), _TEXT],
    "XGDMatrixGetDataAsCSR": [Handle, c_char_p, _Out(c_uint64), _Out(c_uint), _Out(c_float)],
    "XGDMatrixGetInfoRef": [Handle, c_char_p, _TEXT],
    "XGDMatrixGetQuantileCut": [Handle, c_char_p, _TEXT, _TEXT],
    "XGDMatrixGetStrFeatureInfo": [Handle, c_char_p, *_STRINGS],
    "XGDMatrixNumCol": [Handle, _COUNT],
    "XGDMatrixNumNonMissing": [Handle, _COUNT],
    "XGDMatrixNumRow": [Handle, _COUNT],
    "XGDMatrixSaveBinary": [Handle, c_char_p, c_int],
    "XGDMatrixSetInfoFromInterface": [Handle, c_char_p, c_char_p],
    "XGDMatrixSetStrFeatureInfo": [Handle, c_char_p, POINTER(c_char_p), c_uint64],
    "XGDMatrixSliceDMatrixEx": [Handle, POINTER(c_int), c_uint64, _Out(Handle), c_int],
    "XGBCategoriesFree": [Handle],
    # ---- matrices that point to the rows of others ----
    "KauriProxyDMatrixSetDataArrowArray": [Handle, c_void_p, c_void_p],
    "KauriProxyDMatrixSetDataArrowStream": [Handle, c_void_p],
    "XGProxyDMatrixCreate": [_Out(Handle)],
    "XGProxyDMatrixSetDataCSR": [Handle, c_char_p, c_char_p, c_char_p, c_uint64],
    "XGProxyDMatrixSetDataColumnar": [Handle, c_char_p],
    "XGProxyDMatrixSetDataCudaArrayInterface": [Handle, c_char_p],
    "XGProxyDMatrixSetDataCudaColumnar": [Handle, c_char_p],
    "XGProxyDMatrixSetDataDense": [Handle, c_char_p],
    # ---- boosters ----
    "KauriBoosterAverage": [POINTER(Handle), c_uint64, _Out(Handle)],
    "XGBoosterBoostedRounds": [Handle, _Out(c_int)],
    "XGBoosterCreate": [POINTER(Handle), c_uint64, _Out(Handle)],
    "XGBoosterDumpModelEx": [Handle, c_char_p, c_int, c_char_p, *_STRINGS],
    "XGBoosterFeatureScore": [Handle, c_char_p, *_STRINGS, _COUNT, _SHAPE, _FLOATS],
    "XGBoosterFree": [Handle],
    "XGBoosterGetAttr": [Handle, c_char_p, _TEXT, _Out(c_int)],
    "XGBoosterGetAttrNames": [Handle, *_STRINGS],
    "XGBoosterGetCategoriesExportToArrow": [Handle, c_char_p, _Out(Handle), _TEXT],
    "XGBoosterGetNumFeature": [Handle, _COUNT],
    "XGBoosterGetStrFeatureInfo": [Handle, c_char_p, *_STRINGS],
    "XGBoosterLoadJsonConfig": [Handle, c_char_p],
    "XGBoosterReset": [Handle],
    "XGBoosterSaveJsonConfig": [Handle, *_BYTES],
    "XGBoosterSetAttr": [Handle, c_char_p, c_char_p],
    "KauriBoosterLoadForest": [Handle, c_char_p],
    "KauriBoosterSettleParams": [Handle],
    "XGBoosterSetParam": [Handle, c_char_p, c_char_p],
    "XGBoosterSetStrFeatureInfo": [Handle, c_char_p, POINTER(c_char_p), c_uint64],
    "XGBoosterSlice": [Handle, c_int, c_int, c_int, _Out(Handle)],
    # ---- training ----
    "KauriBoosterAddReceipt": [Handle, Handle],
    "KauriBoosterCountRows": [Handle, Handle],
    "KauriBoosterCheckColumns": [Handle, Handle],
    "KauriBoosterHigherIsBetter": [Handle, c_char_p, _Out(c_int)],
    "KauriBoosterReadData": [Handle, c_char_p, _Out(Handle)],
    "KauriBoosterKnowsMetric": [Handle, c_char_p, _Out(c_int)],
    "KauriBoosterRequireQueries": [Handle, Handle],
    "KauriBoosterEvaluateWithIntervals": [Handle, Handle, c_char_p, _Out(c_char_p)],
    "KauriBoosterVerify": [Handle, Handle, *_STRINGS],
    "XGBoosterEvalOneIter": [Handle, c_int, POINTER(Handle), POINTER(c_char_p), c_uint64, _TEXT],
    "XGBoosterTrainOneIter": [Handle, Handle, c_int, c_char_p, c_char_p],
    "XGBoosterUpdateOneIter": [Handle, c_int, Handle],
    # ---- ranks ----
    "KauriBoosterSetCollective": [Handle, Handle],
    "KauriBoosterEndTraining": [Handle],
    "KauriCollectiveCreate": [POINTER(CollectiveCalls), c_void_p, c_int, c_int, _Out(Handle)],
    "KauriCollectiveFree": [Handle],
    "KauriPackIntegers": [POINTER(c_int64), c_uint64, c_void_p, _COUNT],
    "KauriUnpackIntegers": [c_void_p, c_uint64, c_int, POINTER(c_int64), c_uint64],
    "KauriQuantileDMatrixCreate": [Handle, c_void_p, Handle, Handle, *_ITERATOR],
    # ---- model files ----
    "KauriBoosterSaveModel": [Handle, c_char_p, c_char_p],
    "KauriBoosterExport": [Handle, c_char_p, c_char_p],
    "KauriBoosterExportToBuffer": [Handle, c_char_p, *_BYTES],
    "XGBoosterLoadModel": [Handle, c_char_p],
    "XGBoosterLoadModelFromBuffer": [Handle, c_void_p, c_uint64],
    "XGBoosterSaveModelToBuffer": [Handle, c_char_p, *_BYTES],
    "XGBoosterSerializeToBuffer": [Handle, *_BYTES],
    "XGBoosterUnserializeFromBuffer": [Handle, c_void_p, c_uint64],
    # ---- predictions and explanations ----
    "KauriBoosterExplain": [Handle, Handle, Handle, c_char_p, *_PREDICTION],
    "KauriBoosterExplainSampled": [
        Handle,
        Handle,
        Handle,
        c_char_p,
        _SHAPE,
        _COUNT,
        _Out(POINTER(c_double)),
        _Out(POINTER(c_double)),
        _COUNT,
        _TEXT,
    ],
    "KauriBoosterExplainSparse": [
        Handle,
        Handle,
        c_char_p,
        _COUNT,
        _Out(POINTER(c_int64)),
        _Out(POINTER(c_uint32)),
        _Out(POINTER(c_uint32)),
        _FLOATS,
    ],
    "KauriBoosterExplainInteractions": [
        Handle,
        Handle,
        c_char_p,
        _COUNT,
        _COUNT,
        *2 * (_Out(POINTER(c_int64)), _Out(POINTER(c_uint32))),
        _FLOATS,
        _FLOATS,
    ],
    "KauriBoosterDependence": [
        Handle,
        Handle,
        Handle,
        c_char_p,
        _COUNT,
        _COUNT,
        _Out(POINTER(c_int64)),
        _FLOATS,
        _Out(POINTER(c_double)),
        _COUNT,
        _COUNT,
        _Out(POINTER(c_uint32)),
        _Out(POINTER(c_int32)),
    ],
    "KauriBoosterPredictOnDevice": [Handle, Handle, c_char_p, *_PREDICTION],
    "KauriBoosterTakeExplanation": [Handle, _Out(Handle)],
    "KauriBoosterTakePrediction": [Handle, _Out(Handle)],
    "KauriDeviceArrayFree": [Handle],
    "KauriDeviceArrayDescribe": [Handle, _TEXT],
    "KauriDeviceArrayToHost": [Handle, c_void_p],
    "KauriHostArrayFree": [Handle],
    "XGBoosterPredictFromCSR": [Handle, c_char_p, c_char_p, c_char_p, c_uint64, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromColumnar": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromCudaArray": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromCudaColumnar": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
    "XGBoosterPredictFromDMatrix": [Handle, Handle, c_char_p, *_PREDICTION],
    "XGBoosterPredictFromDense": [Handle, c_char_p, c_char_p, Handle, *_PREDICTION],
}

RESULTS: dict[str, Any] = {  # all others return int, the status
    "KauriVersion": c_char_p,
    "XGBGetLastError": c_char_p,
    "XGBoostVersion": None,
}
