"""Matrices that keep the bins of values instead of the values."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from .._binding.collective_calls import LibraryCollective
from .._binding.errors import DataError
from .._binding.library import LIB, Function
from .._binding.text import config
from .._collective.collective import Collective
from .._public import public
from .categories import refuse_categorical
from .iterator import DataIter, OneBatch, create_from_iterator
from .matrix import DMatrix, missing_value
from .rows import ArrayLike


def _call_of_ranks(collective: Collective) -> Function:
    library = LibraryCollective(collective)
    return lambda *arguments: LIB.KauriQuantileDMatrixCreate(library.handle, *arguments)


@public("kauriboost.quantile")
class QuantileDMatrix(DMatrix):
    """A table that keeps only the quantile bin of each value: a quarter of the memory, or less.

    Trains with ``tree_method="hist"``, on the same bins as a `DMatrix` of the same rows, so the model is the same. For
    prediction a value is replaced by the lower bound of its bin, or by the column's smallest value if it is in the
    first bin. In every tree trained on these bins, that number takes the same branches as the value. Methods that need
    the values themselves raise an error.

    Parameters
    ----------
    data
        Anything that `DMatrix` takes except a path, or a `DataIter`. An iterator is read twice, once for the bin edges
        and once for the bins, and a few more times if the values take more than 256 MiB. The edges are the same as for
        the same rows in one piece.
    label, weight, base_margin, missing, feature_names, feature_types, nthread, group, qid, \
    label_lower_bound, label_upper_bound, feature_weights, enable_categorical, silent
        As for `DMatrix`. With an iterator, each batch provides them instead.
    max_bin
        Maximum number of bins of a feature. By default 256, or the number in `ref`. Training needs the same
        ``max_bin``.
    ref
        The matrix whose bin edges to use. For validation data, pass the training matrix.
    device
        The device that makes the bins of one batch of numbers in host memory, such as ``"cuda"``; the bins stay there
        for training with that ``device``. By default the CPU makes them. The bins are the same. Data in device memory
        are binned where they are.
    collective
        The communicator with other ranks; the bins are then computed from the rows of all ranks. See
        `kauriboost.collective`. All ranks must make the matrix at the same time.

    Raises
    ------
    DataError
        As `DMatrix`; a number of columns that differs from `ref`; batches that differ in the second pass.
    ParameterError
        `max_bin` out of range, or different from `ref`.
    """

    _CREATE: ClassVar[Function] = LIB.XGQuantileDMatrixCreateFromCallback
    _create_call: Function | None = None  # replaces `_CREATE` if set

    def __init__(
        self,
        data: Any,
        label: ArrayLike | None = None,
        *,
        weight: ArrayLike | None = None,
        base_margin: ArrayLike | None = None,
        missing: float | None = None,
        feature_names: Any = None,
        feature_types: Any = None,
        nthread: int | None = None,
        max_bin: int | None = None,
        ref: DMatrix | None = None,
        group: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        label_lower_bound: ArrayLike | None = None,
        label_upper_bound: ArrayLike | None = None,
        feature_weights: ArrayLike | None = None,
        enable_categorical: bool = True,
        silent: bool = False,
        device: str | None = None,
        collective: Collective | None = None,
    ) -> None:
        fields = {
            "label": label,
            "weight": weight,
            "base_margin": base_margin,
            "group": group,
            "qid": qid,
            "label_lower_bound": label_lower_bound,
            "label_upper_bound": label_upper_bound,
            "feature_weights": feature_weights,
            "feature_names": feature_names,
            "feature_types": feature_types,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        if collective is not None:
            self._create_call = _call_of_ranks(collective)
        on_device = {} if device is None else {"device": str(device)}
        self._make(data, given, missing, nthread, max_bin, ref, **on_device)
        if not enable_categorical:
            refuse_categorical(self.feature_types, self.feature_names)

    def _make(
        self,
        data: Any,
        fields: dict[str, Any],
        missing: float | None,
        nthread: int | None,
        max_bin: int | None,
        ref: DMatrix | None,
        **settings: Any,
    ) -> None:
        if isinstance(data, (str, os.PathLike)):
            raise DataError(
                f"{type(self).__name__} takes data in memory or an iterator; read {str(data)!r} as a DMatrix."
            )
        if isinstance(data, DataIter) and fields:
            raise DataError(f"{', '.join(fields)} come with each batch of an iterator; pass them to input_data.")
        if "group" in fields and "qid" in fields:
            raise DataError("both group and qid are given; pass one of them.")
        settings["missing"] = missing_value(missing)
        settings["nthread"] = 0 if nthread is None else int(nthread)
        if max_bin is not None:
            settings["max_bin"] = int(max_bin)
        iterator = data if isinstance(data, DataIter) else OneBatch(data, fields)
        if isinstance(iterator, OneBatch):
            settings["one_batch"] = True
        reference = [None if ref is None else ref.handle]
        self.handle = create_from_iterator(iterator, self._create_call or self._CREATE, config(**settings), reference)
        self._create_call = None


@public("kauriboost.quantile")
class ExtMemQuantileDMatrix(QuantileDMatrix):
    """A `QuantileDMatrix` with its bins in a file, for data that do not fit into memory.

    Training reads the file once per level of a tree, or more often if `memory_budget` cannot hold all histograms of a
    level. The model is the same as with a `QuantileDMatrix` of the same bin edges.

    Parameters
    ----------
    data
        A `DataIter`. The file is made beside the path named by its `cache_prefix`, or else in the folder for temporary
        files. The file has no name once it is open, and disappears with the matrix or the process.
    missing, nthread, max_bin, ref, enable_categorical
        As for `QuantileDMatrix`.
    memory_budget
        Memory limit in MiB for this matrix and for training on it; 0 for no limit. Batches are not counted.

    Raises
    ------
    OutOfMemoryError
        The budget is too small; the message says how much is needed. Raised here or in the first round.
    FileError
        The file's folder is not writable or full.
    """

    _CREATE = LIB.XGExtMemQuantileDMatrixCreateFromCallback

    def __init__(
        self,
        data: DataIter,
        *,
        missing: float | None = None,
        nthread: int | None = None,
        max_bin: int | None = None,
        ref: DMatrix | None = None,
        memory_budget: int = 0,
        enable_categorical: bool = True,
    ) -> None:
        if not isinstance(data, DataIter):
            raise DataError(f"ExtMemQuantileDMatrix takes a DataIter, got {type(data).__name__}; see QuantileDMatrix.")
        prefix = data.cache_prefix
        self._make(
            data,
            {},
            missing,
            nthread,
            max_bin,
            ref,
            cache_prefix="" if prefix is None else os.fsdecode(prefix),
            memory_budget=int(memory_budget),
        )
        if not enable_categorical:
            refuse_categorical(self.feature_types, self.feature_names)
