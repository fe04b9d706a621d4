"""Python part of ``kauri task=report``, called after the keys are parsed (src/cli/python.cc)."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from .._binding.errors import KauriError
from .._binding.task import Settings, run, say_written, settings_of
from .._data.matrix import read_for
from .._model.booster import Booster

_OF_THE_RUN = ("eval_metric", "seed", "verbosity")  # the page shows the model's own values


def main(arguments: Sequence[str]) -> int:
    """Write the page.

    Arguments: a model, rows, the path of the page ("stdout": standard output), a feature map or "", and parameters as
    name=value.
    """
    model, rows, path, feature_map, *words = arguments
    settings = settings_of(words)

    def work() -> None:
        _write(Page(model, rows, path, feature_map), settings)
        say_written("report", path, settings)

    return run(settings, work, "kauriboost[plot]")


class Page(NamedTuple):
    """The inputs of a report and its path."""

    model: str
    rows: str
    path: str
    feature_map: str


def _write(page: Page, settings: Settings) -> None:
    import matplotlib

    from .report import report

    matplotlib.use("Agg")  # without a display, even if there is one
    of_model = [(name, value) for name, value in settings if name not in _OF_THE_RUN]
    booster = Booster(of_model, model_file=page.model)
    try:
        data = read_for(booster.handle, page.rows)
    except KauriError as error:
        raise type(error)(f"test:data={page.rows}: {error}") from error
    if page.feature_map:
        names = _names_in(page.feature_map)[: data.num_col()]
        names += [f"f{column}" for column in range(len(names), data.num_col())]
        booster.feature_names = names
        data.feature_names = names
    metrics = [value for name, value in settings if name == "eval_metric"] or None
    seed = int(dict(settings).get("seed", 0))
    title = f"{Path(page.model).name} on {page.rows.partition('?')[0]}"
    if page.path != "stdout":
        report(booster, data, page.path, metrics=metrics, title=title, seed=seed)
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        report(booster, data, file, metrics=metrics, title=title, seed=seed)
        sys.stdout.buffer.write(file.read_bytes())
        sys.stdout.buffer.flush()


def _names_in(feature_map: str) -> list[str]:
    """Return the names in a feature map, which the program has validated: index, name and type on each line."""
    lines = Path(feature_map).read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    return [line.split()[1] for line in lines if line.strip()]
