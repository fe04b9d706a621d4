"""Estimators and models in folders, as Spark ML keeps them: its metadata, and beside it the model's bytes."""

from __future__ import annotations

import json
import uuid
from typing import Any

import numpy as np
from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter

from .._binding.errors import ModelError

_BYTES_OF_A_ROW = 1 << 22


def _model_folder(path: str) -> str:
    return f"{path}/model"


def _plain(value: Any) -> Any:
    """Return numbers and arrays of NumPy as Python's, also within lists and dictionaries."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def as_saved(instance: Any) -> Any:
    """Return a copy with the parameters that are saved. Raises ModelError for a parameter that JSON cannot hold."""
    made = instance.copy()
    made.clear(made.xgb_model)
    for param, value in made._paramMap.items():
        made._paramMap[param] = plain = _plain(value)
        try:
            json.dumps(plain)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"the parameter {param.name} has no form in Spark's metadata ({error}); functions and callbacks cannot "
                "be saved. Set it to None, or save the model alone by get_booster().save_model()."
            ) from error
    return made


class Writer(MLWriter):
    """Writes an estimator or a model."""

    def __init__(self, instance: Any) -> None:
        super().__init__()
        self._instance = instance

    def save(self, path: str) -> None:
        """Save to a folder. An older folder is replaced only when the new one is whole.

        Raises ModelError for parameters without a form.
        """
        as_saved(self._instance)
        if not self.shouldOverwrite:
            self.saveImpl(path)
            return
        draft = f"{path.rstrip('/')}.{uuid.uuid4().hex}"
        try:
            self.saveImpl(draft)
        except BaseException:
            self._handleOverwrite(draft)  # deletes what there is of it
            raise
        self._handleOverwrite(path)
        self._move(draft, path)

    def _move(self, draft: str, path: str) -> None:
        context = self.sparkSession.sparkContext
        folder = context._jvm.org.apache.hadoop.fs.Path
        system = folder(path).getFileSystem(context._jsc.hadoopConfiguration())
        if not system.rename(folder(draft), folder(path)):
            raise ModelError(f"the folder {draft}, which is whole, could not be renamed to {path}; rename it by hand.")

    def saveImpl(self, path: str) -> None:
        """Implement `MLWriter.saveImpl`."""
        session = self.sparkSession
        DefaultParamsWriter.saveMetadata(as_saved(self._instance), path, session)
        model = getattr(self._instance, "_model", None)
        if model is None:
            return
        rows = [
            (begin, bytearray(model[begin : begin + _BYTES_OF_A_ROW]))
            for begin in range(0, len(model), _BYTES_OF_A_ROW)
        ]
        frame = session.createDataFrame(rows, "begin long, bytes binary")
        frame.coalesce(1).write.option("compression", "gzip").parquet(_model_folder(path))


class Reader(MLReader[Any]):
    """Reads an estimator or a model of class `cls`."""

    def __init__(self, cls: Any) -> None:
        super().__init__()
        self._class = cls

    def load(self, path: str) -> Any:
        """Implement `MLReader.load`. Raises ModelError for a folder of another class."""
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        name = metadata["class"].rpartition(".")[2]
        if name != self._class.__name__:
            raise ModelError(
                f"the folder {path} holds a {name}, not a {self._class.__name__}; load it with {name}.load."
            )
        made = self._class()
        made._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(made, metadata)
        if hasattr(made, "_model"):
            rows = self.sparkSession.read.parquet(_model_folder(path)).orderBy("begin").collect()
            made._model = b"".join(bytes(row["bytes"]) for row in rows)
        return made
