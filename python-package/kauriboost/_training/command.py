"""Python part of ``kauri task=train preset=best``, called after the keys are parsed (src/cli/python.cc)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from .._binding.errors import KauriError
from .._binding.task import Settings, run, say_written, settings_of, verbosity_of
from .._data.matrix import DMatrix, read_for
from .._model.booster import Booster
from .._model.classes import ATTRIBUTE, classes_of
from .attempts import Attempt, BestFit
from .best import fit_best


def main(arguments: Sequence[str]) -> int:
    """Find a model. Arguments: rows, model path, dialect, seconds, rounds ("0": no budget), folds, and name=value."""
    rows, path, dialect, seconds, n_rounds, nfold, *words = arguments
    settings = settings_of(words)

    def work() -> None:
        for_data = Booster(_params_of(settings))
        data = _data_of(rows, for_data)
        classes = classes_of(for_data)
        if classes is not None and verbosity_of(settings) > 0:
            _say_classes(classes)
        found = fit_best(
            data,
            params=_params_of(settings),
            time_budget=float(seconds) or None,
            rounds_budget=int(n_rounds) or None,
            nfold=int(nfold),
            seed=int(dict(settings).get("seed", 0)),
            on_attempt=_show,
        )
        if classes is not None:
            found.booster.set_attr(**{ATTRIBUTE: for_data.attr(ATTRIBUTE)})
        found.booster.save_model(path, dialect or None)
        _show_chosen(found)
        say_written(f"model of {found.booster.num_boosted_rounds()} rounds", path, settings)

    return run(settings, work, "kauriboost")


def _data_of(rows: str, booster: Booster) -> DMatrix:
    """Read the rows; a booster without rounds keeps the classes of text labels."""
    try:
        return read_for(booster.handle, rows)
    except KauriError as error:
        raise type(error)(f"data={rows}: {error}") from error


def _say_classes(classes: np.ndarray) -> None:
    print(
        "classes: " + ", ".join(f"{place} is {name!r}" for place, name in enumerate(classes.tolist())), file=sys.stderr
    )


def _params_of(settings: Settings) -> dict[str, object]:
    """Return the parameters; eval_metric may be repeated."""
    params: dict[str, object] = {name: value for name, value in settings if name != "eval_metric"}
    metrics = [value for name, value in settings if name == "eval_metric"]
    return {**params, "eval_metric": metrics} if metrics else params


def _show(attempt: Attempt) -> None:
    print(attempt.line(), flush=True)


def _show_chosen(found: BestFit) -> None:
    shares = ", ".join(
        f"{share:.0%} of setting {number}" for number, share in enumerate(found.shares, start=1) if share > 0
    )
    took = f"{found.trained} rounds in {found.seconds:.1f} s"
    print(f"{found.metric} {found.score:.6g} of the mean, after {took}: {shares}", flush=True)
