"""Columns of text in pandas frames: their values are categories, whose names are the different texts."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def texts_are_categories() -> bool:
    """Return whether text is taken for categories: not under XGBoost's name, where it is refused as in XGBoost."""
    return not hasattr(sys.modules.get("xgboost"), "__kauriboost__")


def kind_of_objects(column: Any) -> str:
    """Return what a pandas column of objects holds.

    ``"string"`` stands for texts alone, ``"empty"`` for missing values alone, any other word for other values. The word
    is empty for a column of numbers, and for a column of another library.
    """
    if type(column).__module__.split(".")[0] != "pandas":
        return ""
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind != "O":
            return ""
    elif getattr(dtype, "type", None) is str:  # pandas' own and Arrow's types of text
        return "string"
    import pandas as pd

    kind: str = pd.api.types.infer_dtype(column, skipna=True)
    return kind


def holds_text(column: Any) -> bool:
    """Return whether a pandas column is one of text, and text is taken for categories."""
    return texts_are_categories() and kind_of_objects(column) == "string"


def is_arrow_dictionary(dtype: Any) -> bool:
    """Return whether a pandas column of this dtype has an Arrow dictionary."""
    return str(dtype).startswith("dictionary<") and str(dtype).endswith("[pyarrow]")


def text_codes(column: Any) -> tuple[np.ndarray, Any]:
    """Return the code of each text, -1 where it is missing, and the different texts in ascending order.

    Texts ascend by their bytes in UTF-8, as for Arrow tables and CSV files.
    """
    codes, names = column.factorize(sort=True)
    return codes, names


def text_columns_of_table(table: Any) -> list[str]:
    """Return the names of the text columns of a polars frame, or of a pyarrow table or batch."""
    schema = getattr(table, "schema", None)
    if schema is None:
        return []
    kinds = schema.items() if hasattr(schema, "items") else zip(schema.names, schema.types)
    return [name for name, kind in kinds if str(kind) in _TYPES_OF_TEXT]


_TYPES_OF_TEXT = ("String", "Utf8", "string", "large_string", "string_view")
