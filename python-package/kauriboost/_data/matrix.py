"""Tables to learn from and to predict on."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._binding.arrays import array_from_interface
from .._binding.calls import call_count, call_handle, call_texts
from .._binding.errors import DataError
from .._binding.library import LIB, check
from .._binding.matrix_calls import create_from_arrow, rows_as_csr, slice_rows
from .._binding.model_calls import call_categories
from .._binding.signatures import Handle
from .._binding.text import config
from .._public import described, public
from .categories import CategoryNames, read_names, refuse_categorical
from .columns import arrow_table, is_arrow_table
from .feature_info import check_names
from .iterator import DataIter, create_from_iterator
from .naming import naming_columns
from .row_info import RowInfo
from .rows import ArrayLike, row_numbers, rows_of

_FIELDS = ("label", "weight", "base_margin", "group_ptr", "label_lower_bound", "label_upper_bound", "feature_weights")


def missing_value(missing: float | None) -> float:
    """Return `missing` as a float, NaN by default."""
    return math.nan if missing is None else float(missing)


@public("kauriboost.data")
class DMatrix(RowInfo):
    """A table of float32 features with labels and other row information. The features never change.

    Parameters
    ----------
    data
        NumPy array of any numeric dtype ``[n_rows, n_cols]``, SciPy sparse matrix, frame (pandas, polars, pyarrow,
        or any table with the Arrow PyCapsule interface), a `DataIter`, the path of a file written by
        `save_binary`, or the URI of a text file: ``"train.libsvm?format=libsvm"``,
        ``"train.csv?format=csv&label_column=0"``. An array in the memory of a CUDA device (CuPy, PyTorch,
        ``__cuda_array_interface__``) is copied within that memory; labels and other row information may be there too.
        The files ``train.csv.group``, ``.weight``, ``.base_margin`` and ``.feature_types`` beside a text file are read
        if they exist.
    label
        ``[n_rows]``, or ``[n_rows, n_targets]`` with NaN where a label is not known.
    weight
        ``[n_rows]``, or one per query group for ranking.
    base_margin
        ``[n_rows]`` or ``[n_rows, n_outputs]``: the starting margins of boosting, instead of the base score.
    missing
        A value that means "missing", in addition to NaN.
    feature_names, feature_types
        One per column; a frame brings its own. Types are float, q, int, i, and c (categories: integers from 0).
    nthread
        Threads for the copy; all cores if not given.
    group
        Rows per query, in order, for ranking.
    qid
        The query of each row, ascending; an alternative to `group`.
    label_lower_bound, label_upper_bound
        ``[n_rows]``, for survival analysis.
    feature_weights
        ``[n_cols]``: relative probability that a column is sampled.
    enable_categorical
        Treat categorical columns of frames (pandas' ``category``, dictionaries of Arrow, Categorical and Enum of
        polars) and columns of text as categories; False rejects them. The model stores the names of the categories, so
        rows to predict may list them in another order. The names of text are sorted.
    silent
        Ignored.

    Raises
    ------
    DataError
        Shapes that disagree, values that are not numbers, infinite values, malformed text.
    FileError
        A file that cannot be read.
    """

    _INSTEAD = "slice() makes another of the same rows, save_binary() writes a file of them"
    on_device = False  # True if the features are in the memory of a CUDA device

    def __init__(
        self,
        data: Any,
        label: ArrayLike | None = None,
        *,
        weight: ArrayLike | None = None,
        base_margin: ArrayLike | None = None,
        missing: float | None = None,
        feature_names: Sequence[str] | None = None,
        feature_types: Sequence[str] | None = None,
        nthread: int | None = None,
        group: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        label_lower_bound: ArrayLike | None = None,
        label_upper_bound: ArrayLike | None = None,
        feature_weights: ArrayLike | None = None,
        enable_categorical: bool = True,
        silent: bool = False,
    ) -> None:
        if group is not None and qid is not None:
            raise DataError("both group and qid are given; pass one of them.")
        names, types = feature_names, feature_types
        if isinstance(data, (str, os.PathLike)):
            self.handle = call_handle(LIB.XGDMatrixCreateFromURI, config(uri=os.fsdecode(data)))
        else:
            settings = config(missing=missing_value(missing), nthread=0 if nthread is None else int(nthread))
            with naming_columns(feature_names):
                own_names, own_types = self._create(data, settings)
            names = own_names if names is None else names
            types = own_types if types is None else types
        if names is not None:
            self.feature_names = names
        if types is not None:
            self.feature_types = types
        if not enable_categorical:
            refuse_categorical(self.feature_types, self.feature_names)
        self.set_info(
            label=label,
            weight=weight,
            base_margin=base_margin,
            group=group,
            qid=qid,
            label_lower_bound=label_lower_bound,
            label_upper_bound=label_upper_bound,
            feature_weights=feature_weights,
        )

    def _create(self, data: Any, settings: bytes) -> tuple[list[str] | None, list[str] | None]:
        """Make the handle; return column names and types unless the handle already has them."""
        if isinstance(data, DataIter):
            self.handle = create_from_iterator(data, LIB.XGDMatrixCreateFromCallback, settings)
            return None, None
        if is_arrow_table(data):
            self.handle = create_from_arrow(arrow_table(data), settings)
            check_names(self.feature_names or [])
            return None, None
        rows = rows_of(data)
        with naming_columns(rows.names):
            self.handle = call_handle(rows.layout.create, *rows.arguments, settings)
        self.on_device = rows.layout.on_device
        return rows.names, rows.types

    def __repr__(self) -> str:
        return described(
            self,
            shape=self.shape,
            features=self.feature_names,
            categorical=(self.feature_types or []).count("c") or None,
            fields=[name.removesuffix("_ptr") for name in _FIELDS if len(self._get(name))],
        )

    # ---- features ----

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self.num_row(), self.num_col()

    def __len__(self) -> int:
        return self.num_row()

    def __bool__(self) -> bool:
        """Return True, even for a matrix without rows: ``if data:`` tests whether there is a matrix."""
        return True

    def num_nonmissing(self) -> int:
        """Return the number of values that are not missing."""
        return call_count(LIB.XGDMatrixNumNonMissing, self.handle)

    def get_categories(self) -> dict[str, CategoryNames]:
        """Return the category names of each feature that has any, by feature; name c belongs to category c."""
        return self._categories_by(self.feature_names or [f"f{i}" for i in range(self.num_col())])

    def _categories_by(self, features: Sequence[str]) -> dict[str, CategoryNames]:
        """Return the category names, with the given names for the features, one for each."""
        function = LIB.XGDMatrixGetCategoriesExportToArrow
        return call_categories(function, self.handle, lambda text: read_names(text, features))

    def get_data(self) -> Any:
        """Return the features as a SciPy CSR matrix of float32; entries that are not stored are missing."""
        from scipy.sparse import csr_matrix

        indptr, indices, values = rows_as_csr(self.handle, self.num_row(), self.num_nonmissing())
        return csr_matrix((values, indices.astype(np.int64), indptr.astype(np.int64)), (self.num_row(), self.num_col()))

    def save_binary(self, fname: str | os.PathLike[str], silent: bool = True) -> None:
        """Write features, labels and all other fields to a file that ``DMatrix(fname)`` reads back.

        Parameters
        ----------
        fname
            The path. An older file stays unchanged until the new one is complete.
        silent
            Ignored.
        """
        check(LIB.XGDMatrixSaveBinary(self.handle, os.fsencode(fname), int(silent)))

    def slice(self, rindex: Sequence[int] | np.ndarray, allow_groups: bool = False) -> DMatrix:
        """Return a new DMatrix of the rows `rindex`, in that order.

        Parameters
        ----------
        rindex
            Row numbers, or a Boolean mask ``[n_rows]``.
        allow_groups
            Allow data with queries. Adjacent rows of one query form a query of the result. If False, queries are an
            error.
        """
        rows = row_numbers(rindex, self.num_row())
        result = DMatrix.__new__(DMatrix)
        result.handle = slice_rows(self.handle, rows, allow_groups)
        return result

    def binned(self, max_bin: int | None = None) -> DMatrix:
        """Return a matrix of the bins that ``tree_method="hist"`` makes of these rows, with all other fields.

        Slices of the result share its bin edges and bins, so training on them computes no new edges; `cv` and
        `fit_best` work this way. The edges are computed from all these rows. They depend on weights, column types and
        rows, not on labels. For a matrix that already keeps bins, such as a `QuantileDMatrix`, the result shares them.

        Parameters
        ----------
        max_bin
            Maximum number of bins of a feature. By default 256, or the number that the matrix keeps. Training needs the
            same ``max_bin``.
        """
        result = DMatrix.__new__(DMatrix)
        result.handle = call_handle(LIB.KauriDMatrixBins, self.handle, config(max_bin=max_bin))
        return result

    def get_quantile_cut(self, max_bin: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the bin edges of each feature, the same as training with ``tree_method="hist"`` uses.

        Parameters
        ----------
        max_bin
            The value used in training, 256 by default. A matrix of bins has its own.

        Returns
        -------
        indptr
            ``[n_cols + 1]``: the edges of feature f are ``values[indptr[f] : indptr[f + 1]]``.
        values
            The lower bound of the first bin, then the upper bound of each.
        """
        settings = config(max_bin=None if max_bin is None else int(max_bin))
        indptr, values = call_texts(LIB.XGDMatrixGetQuantileCut, self.handle, settings)
        return array_from_interface(indptr), array_from_interface(values)


def read_for(booster: Handle, uri: str) -> DMatrix:
    """Read a file for a booster: labels of text are its classes, texts of categorical columns have its codes.

    A booster without rounds and without classes gets the classes of the file, as its attribute ``kauri_classes``.
    """
    result = DMatrix.__new__(DMatrix)
    result.handle = call_handle(LIB.KauriBoosterReadData, booster, config(uri=uri))
    return result


def require_dmatrix(data: Any) -> None:
    """Raise TypeError unless `data` is a matrix."""
    if not isinstance(data, DMatrix):
        raise TypeError(f"expected a DMatrix, got {type(data).__name__}; wrap it: kauriboost.DMatrix(data).")
