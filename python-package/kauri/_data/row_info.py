"""Labels, weights and the like, which go with the rows of a matrix."""

from __future__ import annotations

import numpy as np

from .._binding import library as _lib
from .._binding.library import LIB, check
from . import columns as _columns
from . import device
from .feature_info import FeatureInfo
from .numbers import as_numeric
from .rows import ArrayLike


class RowInfo(FeatureInfo):
    """The part of DMatrix that can be changed."""

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
        if device.is_device_array(values):
            check(LIB.XGDMatrixSetInfoFromInterface(self.handle, name.encode(), device.interface(values)))
            return
        if hasattr(values, "to_numpy") and not _columns.is_arrow(values):
            values = values.to_numpy()  # what speaks Arrow becomes an array by itself, with NaN for null
        array = as_numeric(values, name)
        if array.ndim == 2 and array.shape[1] == 1 and name != "base_margin":
            array = array[:, 0]
        check(LIB.XGDMatrixSetInfoFromInterface(self.handle, name.encode(), _lib.interface(array)))

    def set_label(self, label: ArrayLike) -> None:
        """Set the labels, ``[n_rows]``."""
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
        return _lib.array_from_interface(_lib.call_text(LIB.XGDMatrixGetInfoRef, self.handle, name.encode()))

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
        """Return a field of unsigned integers by its name: group_ptr."""
        return self._get(name)

    def set_float_info(self, field: str, data: ArrayLike) -> None:
        """Set a field of numbers by its name: label, weight, base_margin, label_lower_bound, label_upper_bound."""
        self._set_array(field, data)

    def set_uint_info(self, field: str, data: ArrayLike) -> None:
        """Set a field of unsigned integers by its name: group or qid."""
        self._set_array(field, data)
