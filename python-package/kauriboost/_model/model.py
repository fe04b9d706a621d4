"""Operations on a trained model: copies, slices, attributes, files, dumps. Booster adds training and prediction."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._binding.calls import call_bytes, call_count, call_handle, call_int, call_strings, handles_in
from .._binding.errors import FileError, KauriError, ParameterError
from .._binding.library import LIB, check
from .._binding.model_calls import call_attribute, call_categories, call_scores, call_slice
from .._binding.text import config, encode, encode_text
from .._data.categories import CategoryNames, read_names
from .._data.feature_info import FeatureInfo
from .._markup.markup import html_of, table
from .._public import public
from .facts import facts_of
from .files import write_atomically
from .frame import split_value_histogram, trees_to_dataframe

if TYPE_CHECKING:
    from typing_extensions import Self


@public("kauriboost.model")
class Model(FeatureInfo):
    """A model that can be copied, pickled, sliced, named, saved and dumped. A `Booster` also trains and predicts."""

    _GET_STRINGS = LIB.XGBoosterGetStrFeatureInfo
    _SET_STRINGS = LIB.XGBoosterSetStrFeatureInfo
    _FREE = LIB.XGBoosterFree

    def _repr_html_(self) -> str:
        """Return HTML for notebooks."""
        try:
            return table([], facts_of(self), n_texts=2).text
        except KauriError:  # a wrong parameter; the text reports it
            return html_of(repr(self))

    # ---- copies, pickles, slices ----

    def _serialize(self) -> bytearray:
        return call_bytes(LIB.XGBoosterSerializeToBuffer, self.handle)

    def _unserialize(self, snapshot: bytes | bytearray) -> None:
        check(LIB.XGBoosterUnserializeFromBuffer(self.handle, bytes(snapshot), len(snapshot)))

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "handle"}
        return {**state, "snapshot": bytes(self._serialize())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "snapshot" in state:
            snapshot = state.pop("snapshot")
            self.__dict__.update(state)
        else:
            snapshot = state["handle"]  # from XGBoost's Booster; the snapshot contains its other members
        self.handle = call_handle(LIB.XGBoosterCreate, handles_in([]), 0)
        self._unserialize(snapshot)

    def copy(self) -> Self:
        """Return an independent copy, parameters included."""
        return copy.copy(self)

    def __copy__(self) -> Self:
        result = type(self).__new__(type(self))
        result.__setstate__(self.__getstate__())
        return result

    def __deepcopy__(self, _: Any) -> Self:
        return self.__copy__()

    def __getitem__(self, rounds: int | slice) -> Self:
        """Return a booster of some rounds: ``booster[3]``, ``booster[10:20]``, ``booster[::2]``; no negative indices.

        The result keeps the attributes. It keeps the best round by early stopping only if that is among the first
        rounds taken.
        """
        if isinstance(rounds, (int, np.integer)):
            if not 0 <= rounds < self.num_boosted_rounds():
                raise IndexError(f"round {rounds} does not exist; there are {self.num_boosted_rounds()}.")
            rounds = slice(int(rounds), int(rounds) + 1)
        if not isinstance(rounds, slice):
            raise TypeError(f"a booster is indexed by rounds, not by {type(rounds).__name__}.")
        begin = 0 if rounds.start is None else rounds.start
        end = self.num_boosted_rounds() if rounds.stop is None else rounds.stop
        step = 1 if rounds.step is None else rounds.step
        if begin < 0 or end < 0 or step < 1 or begin >= end:
            raise ValueError(f"{rounds} is not a range of rounds; expected 0 <= start < stop and step >= 1.")
        result = type(self).__new__(type(self))
        result.handle = call_slice(self.handle, begin, end, step)
        return result

    def __iter__(self) -> Iterator[Self]:
        """Yield a booster for each round."""
        for i in range(self.num_boosted_rounds()):
            yield self[i]

    # ---- attributes ----

    def attr(self, key: str) -> str | None:
        """Return an attribute, or None."""
        return call_attribute(self.handle, key)

    def attributes(self) -> dict[str, str | None]:
        """Return all attributes."""
        names = call_strings(LIB.XGBoosterGetAttrNames, self.handle)
        return {name: self.attr(name) for name in names}

    def set_attr(self, **attributes: Any) -> None:
        """Set attributes, which are saved with the model; None deletes one."""
        for name, value in attributes.items():
            text = None if value is None else encode_text(str(value))
            check(LIB.XGBoosterSetAttr(self.handle, encode_text(name), text))

    @property
    def best_iteration(self) -> int:
        """The best round found by early stopping, from 0."""
        return int(self._early_stopping_attr("best_iteration"))

    @property
    def best_score(self) -> float:
        """The metric of the best round found by early stopping."""
        return float(self._early_stopping_attr("best_score"))

    def _early_stopping_attr(self, name: str) -> str:
        text = self.attr(name)
        if text is None:
            raise AttributeError(f"`{name}` is only there after training with early stopping.")
        return text

    # ---- features ----

    def num_boosted_rounds(self) -> int:
        """Return the number of rounds trained."""
        return call_int(LIB.XGBoosterBoostedRounds, self.handle)

    def get_categories(self) -> dict[str, CategoryNames]:
        """Return the category names of each feature that has any, in the order of their codes."""
        features = self.feature_names or [f"f{i}" for i in range(self.num_features())]
        function = LIB.XGBoosterGetCategoriesExportToArrow
        return call_categories(function, self.handle, lambda text: read_names(text, features))

    def num_features(self) -> int:
        """Return the number of columns that the model expects."""
        return call_count(LIB.XGBoosterGetNumFeature, self.handle)

    # ---- files ----

    def save_model(self, fname: str | os.PathLike[str], dialect: str | None = None) -> None:
        """Save the model in a file that XGBoost can also read.

        Parameters
        ----------
        fname
            A path; the extension .json or .ubj selects the format.
        dialect
            The oldest version of XGBoost that must read the file; later versions read it too: ``"1.7"``, ``"2.1"``,
            ``"3.0"``, ``"3.2"`` or ``"3.4"``. By default 3.2, plus fields that only later versions know.

        Raises
        ------
        ParameterError
            That version cannot represent the model; the message says why, and names a dialect that can.
        """
        check(LIB.KauriBoosterSaveModel(self.handle, encode(fname), config(dialect=dialect)))

    def save_raw(self, raw_format: str = "ubj", dialect: str | None = None) -> bytearray:
        """Return the model as bytes, in the format ``"ubj"`` or ``"json"``; `dialect` as for `save_model`."""
        settings = config(format=raw_format, dialect=dialect)
        return call_bytes(LIB.XGBoosterSaveModelToBuffer, self.handle, settings)

    def export(
        self,
        fname: str | os.PathLike[str],
        target: str | None = None,
        test: bool = False,
        contributions: bool = False,
    ) -> str | None:
        """Write the model as a program in another language, with a test of that program in the file.

        Parameters
        ----------
        fname
            A path. Its ending selects the target if `target` does not: .c, .onnx, .wasm or .tl (Treelite).
        target
            ``"c"``, ``"duckdb"``, ``"postgresql"``, ``"sqlite"``, ``"onnx"``, ``"wasm"`` or ``"treelite"``. WebAssembly
            needs a compiler (``pip install ziglang``, or clang with lld); a JavaScript module is written beside it,
            with the ending .mjs. ``"wasm_source"`` is C to compile to WebAssembly. A checkpoint of Treelite needs its
            library (``pip install treelite``); ``"treelite_source"`` has the tables from which it is built, as JSON.
        test
            Run the test with a compiler, database or runtime of this machine, and return what ran.
        contributions
            Write a program that also computes the contributions of a row (``pred_contribs``), in C or WebAssembly.

        Raises
        ------
        ParameterError
            The target cannot express the model, or a tool is missing; the message says which.
        ModelError
            The test found other numbers than the model's.
        """
        path = Path(os.fsdecode(fname))
        target = target or {".wasm": "wasm", ".tl": "treelite"}.get(path.suffix)
        if test:
            from .._export.check import check_export, require_test

            require_test(target or path.suffix.lstrip("."))
        if target == "wasm":
            self._export_wasm(path, contributions)
        elif target == "treelite":
            self._export_treelite(path, contributions)
        else:
            settings = config(target=target, contributions=contributions)
            check(LIB.KauriBoosterExport(self.handle, encode(fname), settings))
        return check_export(path, target or path.suffix.lstrip(".")) if test else None

    def _export_wasm(self, path: Path, contributions: bool) -> None:
        from .._export.wasm import compile_wasm, javascript_for

        c_text = self._exported("wasm_source", contributions)
        columns = self.feature_names or [f"f{i}" for i in range(self.num_features())]
        categories = self.get_categories()
        _write_export(path, compile_wasm(c_text))
        module = javascript_for(path.name, c_text, columns, categories, self.attr("kauri_classes"))
        _write_export(path.with_suffix(".mjs"), module)

    def _export_treelite(self, path: Path, contributions: bool) -> None:
        from .._export.treelite_checkpoint import build_treelite

        if contributions:
            raise ParameterError("target=treelite does not compute contributions; leave them out, or take c or wasm.")
        _write_export(path, build_treelite(self._exported("treelite_source", contributions)))

    def _exported(self, target: str, contributions: bool) -> bytes:
        settings = config(target=target, contributions=contributions)
        return bytes(call_bytes(LIB.KauriBoosterExportToBuffer, self.handle, settings))

    def load_model(self, fname: str | os.PathLike[str] | bytes | bytearray) -> None:
        """Load a model saved by Kauri or XGBoost (any version since 1.0): a path, or the bytes of `save_raw`."""
        if isinstance(fname, (bytes, bytearray)):
            check(LIB.XGBoosterLoadModelFromBuffer(self.handle, bytes(fname), len(fname)))
        else:
            check(LIB.XGBoosterLoadModel(self.handle, encode(fname)))

    # ---- inspection ----

    def get_dump(
        self,
        fmap: str | os.PathLike[str] = "",
        with_stats: bool = False,
        dump_format: str = "text",
        category_names: bool = False,
    ) -> list[str]:
        """Return each tree as a text.

        Parameters
        ----------
        fmap
            A file of feature names and types; the booster's own if not given.
        with_stats
            Add gain and cover.
        dump_format
            ``"text"``, ``"json"`` or ``"dot"``.
        category_names
            Show categories by their names where the model knows them. By default categories are numbers, which tools
            for XGBoost's dumps expect.
        """
        if category_names:
            dump_format += ':{"labels": {"categories": "names"}}'
        arguments = [encode(fmap), int(with_stats), encode_text(dump_format)]
        return call_strings(LIB.XGBoosterDumpModelEx, self.handle, *arguments)

    def dump_model(
        self,
        fout: str | os.PathLike[str],
        fmap: str | os.PathLike[str] = "",
        with_stats: bool = False,
        dump_format: str = "text",
        category_names: bool = False,
    ) -> None:
        """Write the trees to a file; see `get_dump`. JSON dumps are written as one list."""
        trees = self.get_dump(fmap, with_stats, dump_format, category_names)
        if dump_format == "json":
            text = "[\n" + ",\n".join(trees) + "\n]"
        else:
            text = "".join(f"booster[{i}]:\n{tree}" for i, tree in enumerate(trees))
        write_atomically(Path(fout), encode_text(text))

    def get_score(
        self, fmap: str | os.PathLike[str] = "", importance_type: str = "weight"
    ) -> dict[str, float | list[float]]:
        """Return the importance of the features that splits use.

        Parameters
        ----------
        fmap
            A file of feature names; the booster's own if not given.
        importance_type
            ``"weight"`` (number of splits), ``"gain"``, ``"cover"`` (means), ``"total_gain"`` or ``"total_cover"``.
        """
        settings = config(importance_type=importance_type, feature_map=os.fsdecode(fmap))
        names, scores = call_scores(self.handle, settings)
        return dict(zip(names, scores.tolist()))

    def get_fscore(self, fmap: str | os.PathLike[str] = "") -> dict[str, float | list[float]]:
        """Return the number of splits on each feature."""
        return self.get_score(fmap, "weight")

    def get_split_value_histogram(
        self, feature: str, fmap: str | os.PathLike[str] = "", bins: int | None = None, as_pandas: bool = True
    ) -> Any:
        """Count the thresholds of the splits of a feature.

        Parameters
        ----------
        feature
            Its name; features without names are called f0, f1, ...
        fmap
            A file of feature names; the booster's own if not given.
        bins
            Maximum number of bins, of equal width; by default the number of different thresholds.
        as_pandas
            Return a frame with the columns SplitValue and Count if pandas is installed.

        Returns
        -------
        pandas.DataFrame or numpy.ndarray
            The upper end of each non-empty bin, and its count.
        """
        return split_value_histogram(self.get_dump(fmap, dump_format="json"), feature, bins, as_pandas)

    def trees_to_dataframe(self, fmap: str | os.PathLike[str] = "", category_names: bool = False) -> Any:
        """Return a pandas frame with a row per node.

        Columns are Tree, Node, ID, Feature ("Leaf" for a leaf), Split, Yes, No, Missing (IDs), Gain (a leaf's value),
        Cover and Category (the categories that take the "yes" branch, for a split on categories; see `get_dump`).
        """
        return trees_to_dataframe(self.get_dump(fmap, True, "json", category_names))


def _write_export(path: Path, content: bytes) -> None:
    try:
        write_atomically(path, content)
    except OSError as error:
        raise FileError(f"cannot write {os.fspath(path)!r}: {error.strerror}. An older file is unchanged.") from error
