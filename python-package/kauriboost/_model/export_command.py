"""Python part of ``kauri task=export``, called after the keys are parsed (src/cli/python.cc)."""

from __future__ import annotations

from collections.abc import Sequence

from .._binding.task import run, say_written, settings_of
from .booster import Booster


def main(arguments: Sequence[str]) -> int:
    """Write the model in another language.

    Arguments: a model, the path of the export, a target or "", "1" to run its test, "1" for contributions, and
    parameters as name=value.
    """
    model, path, target, test, contributions, *words = arguments
    settings = settings_of(words)

    def work() -> None:
        said = Booster(settings, model_file=model).export(path, target or None, test == "1", contributions == "1")
        say_written("export", path, settings)
        if said is not None:
            print(said)

    return run(settings, work, "kauriboost")
