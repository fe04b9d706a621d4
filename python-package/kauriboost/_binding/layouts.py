"""Layouts of rows in memory, and the library's calls for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import InternalError
from .library import LIB, Function


@dataclass(frozen=True)
class Layout:
    """The calls for rows of one layout: to make a matrix, to point a proxy to them, to predict in place."""

    create: Function
    set_proxy: Function
    predict: Function
    on_device: bool = False


def _as_a_whole(*_: Any) -> int:
    raise InternalError("expected sparse rows (CSR) for batches and in-place predictions, got sparse columns (CSC).")


DENSE = Layout(LIB.XGDMatrixCreateFromDense, LIB.XGProxyDMatrixSetDataDense, LIB.XGBoosterPredictFromDense)
CSR = Layout(LIB.XGDMatrixCreateFromCSR, LIB.XGProxyDMatrixSetDataCSR, LIB.XGBoosterPredictFromCSR)
CSC = Layout(LIB.XGDMatrixCreateFromCSC, _as_a_whole, _as_a_whole)
COLUMNAR = Layout(LIB.XGDMatrixCreateFromColumnar, LIB.XGProxyDMatrixSetDataColumnar, LIB.XGBoosterPredictFromColumnar)
CUDA_ARRAY = Layout(
    LIB.XGDMatrixCreateFromCudaArrayInterface,
    LIB.XGProxyDMatrixSetDataCudaArrayInterface,
    LIB.XGBoosterPredictFromCudaArray,
    on_device=True,
)
CUDA_COLUMNAR = Layout(
    LIB.XGDMatrixCreateFromCudaColumnar,
    LIB.XGProxyDMatrixSetDataCudaColumnar,
    LIB.XGBoosterPredictFromCudaColumnar,
    on_device=True,
)
