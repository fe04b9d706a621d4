"""Labels, weights and other fields that belong to the rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._binding.arrays import array_from_interface, interface
from .._binding.calls import call_count, call_text
from .._binding.library import LIB, check
from .._binding.owner import SoleOwner
from .columns import is_arrow
from .device import array_in, is_device_array
from .feature_info import FeatureInfo
from .rows import ArrayLike


class RowInfo(SoleOwner, FeatureInfo):
    """Rows that the library owns or reads in the user's memory, with all their fields except the features."""

    _GET_STRINGS = LIB.XGDMatrixGetStrFeatureInfo
    _SET_STRINGS = LIB.XGDMatrixSetStrFeatureInfo
    _FREE = LIB.XGDMatrixFree
    # The rows of a rank as ranges, [n_ranges, 2]: the first row of each among the rows of all ranks, and its length.
    global_rows: np.ndarray | None = None

    def num_row(self) -> int:
        """Return the number of rows."""
        return call_count(LIB.XGDMatrixNumRow, self.handle)

    def num_col(self) -> int:
        """Return the number of columns."""
        return call_count(LIB.XGDMatrixNumCol, self.handle)

    def _set_types(self, types: str | Sequence[str] | None) -> None:
        """Set the type of each column, or one for all."""
        super()._set_types([types] * self.num_col() if isinstance(types, str) else types)

    def set_info(self, **fields: ArrayLike | None) -> None:
        """Set several of label, weight, base_margin, group, qid and so on; None leaves a field as it is."""
        for name, values in fields.items():
            if name == "feature_names":
                self.feature_names = values
            elif name == "feature_types":
                self.feature_types = values
            elif values is not None:
                self._set_array(name, values)

    def _set_array(self, name: str, values: ArrayLike) -> None:
        if not is_device_array(values) and hasattr(values, "to_numpy") and not is_arrow(values):
            # objects with the Arrow interface become arrays by themselves, with NaN for null
            values = values.to_numpy()
        elif hasattr(values, "iloc") and any(not isinstance(kind, np.dtype) for kind in np.atleast_1d(values.dtypes)):
            # pandas extension types, whose nulls are not numbers
            values = values.to_numpy(dtype=object, na_value=np.nan)
        text, array = array_in(values, name)
        if isinstance(array, np.ndarray) and array.ndim == 2 and array.shape[1] == 1 and name != "base_margin":
            text = interface(array[:, 0])
        check(LIB.XGDMatrixSetInfoFromInterface(self.handle, name.encode(), text))
        if name == "global_rows":
            self.global_rows = np.array(values, dtype=np.int64)

    def set_label(self, label: ArrayLike) -> None:
        """Set the labels, ``[n_rows]``, or ``[n_rows, n_targets]`` with NaN where a label is not known."""
        self._set_array("label", label)

    def set_weight(self, weight: ArrayLike) -> None:
        """Set the weights, ``[n_rows]`` or one per query group."""
        self._set_array("weight", weight)

    def set_base_margin(self, margin: ArrayLike) -> None:
        """Set the base margins, ``[n_rows]`` or ``[n_rows, n_outputs]``."""
        self._set_array("base_margin", margin)

    def set_group(self, group: ArrayLike) -> None:
        """Set the number of rows of each query."""
        self._set_array("group", group)

    def _get(self, name: str) -> np.ndarray:
        return array_from_interface(call_text(LIB.XGDMatrixGetInfoRef, self.handle, name.encode()))

    def get_label(self) -> np.ndarray:
        """Return the labels; empty when there are none."""
        return self._get("label")

    def get_weight(self) -> np.ndarray:
        """Return the weights; empty when there are none."""
        return self._get("weight")

    def get_base_margin(self) -> np.ndarray:
        """Return the base margins; empty when there are none."""
        return self._get("base_margin")

    def get_group(self) -> np.ndarray:
        """Return the number of rows of each query; empty when there are no queries."""
        return np.diff(self._get("group_ptr"))

    def get_float_info(self, name: str) -> np.ndarray:
        """Return a field of float32 numbers by its name."""
        return self._get(name)

    def get_uint_info(self, name: str) -> np.ndarray:
        """Return a field of unsigned integers by its name: group_ptr or global_rows."""
        return self._get(name)

    def set_float_info(self, field: str, data: ArrayLike) -> None:
        """Set a field of numbers by its name: label, weight, base_margin, label_lower_bound, label_upper_bound."""
        self._set_array(field, data)

    def set_uint_info(self, field: str, data: ArrayLike) -> None:
        """Set a field of unsigned integers by its name: group, qid or global_rows."""
        self._set_array(field, data)
