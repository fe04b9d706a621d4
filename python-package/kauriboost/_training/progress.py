"""Callbacks that show the progress of training."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

from .._markup.markup import html_of
from .._public import public
from .callback import EvalsLog, Score, TrainingCallback, mean_of
from .cv_booster import AnyBooster
from .terminal import cut, room_of, width_of

_BAR_WIDTH, _MIN_BAR_WIDTH = 24, 8
_TIME_WIDTH = 14  # brackets, blanks and the time left


@public("kauriboost.callback")
class EvaluationMonitor(TrainingCallback):
    """Prints the evaluation of every `period`-th round, and of the last round.

    Parameters
    ----------
    period
        Rounds from one line to the next.
    show_stdv
        In cross-validation, also show the standard deviation over the folds.
    """

    def __init__(self, period: int = 1, show_stdv: bool = False) -> None:
        if period < 1:
            raise ValueError(f"period is {period}; expected at least 1.")
        self.period = period
        self.show_stdv = show_stdv
        self._pending: str | None = None

    def after_iteration(self, model: AnyBooster, epoch: int, evals_log: EvalsLog) -> bool:
        """Print the line, or keep it in case this is the last round."""
        if not evals_log:
            return False
        line = "\t".join([f"[{epoch}]", *latest_values(evals_log, ".5f", self.show_stdv)])
        self._pending = None if epoch % self.period == 0 else line
        if self._pending is None:
            self.say(line)
        return False

    def after_training(self, model: AnyBooster) -> AnyBooster:
        """Print the last line."""
        if self._pending is not None:
            self.say(self._pending)
        self._pending = None
        return model

    def say(self, line: str) -> None:
        """Print a line."""
        print(line)


@public("kauriboost.callback")
class ProgressBar(TrainingCallback):
    """A line on a terminal: rounds done, time left (at the end, time taken), and the latest evaluation, cut to fit.

    Parameters
    ----------
    total
        Number of rounds to train.
    stream
        The stream to draw on; standard error by default.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total = total
        self.stream = sys.stderr if stream is None else stream
        self._started = 0.0
        self._first: int | None = None  # number of this run's first round
        self._drawn = 0.0
        self._drawn_width = 0  # width of the line on the screen
        self._newest: tuple[int, float, str] | None = None  # rounds done, seconds, evaluation

    def before_training(self, model: AnyBooster) -> AnyBooster:
        """Start the clock."""
        self._started = time.monotonic()
        self._first = None
        self._drawn = 0.0
        return model

    def after_iteration(self, model: AnyBooster, epoch: int, evals_log: EvalsLog) -> bool:
        """Draw the bar, at most ten times a second."""
        now = time.monotonic()
        self._first = epoch if self._first is None else self._first
        done = epoch + 1
        left = (now - self._started) / (done - self._first) * max(self.total - done, 0)
        values = "  ".join(latest_values(evals_log, ".4g"))
        self._newest = (done, now - self._started, values)
        if now - self._drawn >= 0.1:
            self._draw(done, f"{left:.0f} s left  {values}".rstrip())
            self._drawn = now
        return False

    def _line(self, done: int, text: str, room: int) -> str:
        """Return a line that does not wrap, because a wrapped line could not be overwritten."""
        head = f"{done}/{self.total} "
        width = min(_BAR_WIDTH, room - width_of(head) - width_of(text) - 3)  # brackets and a blank
        if width < _MIN_BAR_WIDTH:
            width = min(_MIN_BAR_WIDTH, room - width_of(head) - _TIME_WIDTH)
        filled = width * min(done, self.total) // max(self.total, 1)
        bar = f"[{'#' * filled}{'.' * (width - filled)}] " if width >= _MIN_BAR_WIDTH else ""
        return cut(f"{head}{bar}{text}", room)

    def _draw(self, done: int, text: str) -> None:
        room = room_of(self.stream)
        line = self._line(done, text, room)
        rest = min(self._drawn_width, room) - width_of(line)
        self.stream.write("\r" + line + " " * rest)
        self.stream.flush()
        self._drawn_width = width_of(line)

    def after_training(self, model: AnyBooster) -> AnyBooster:
        """Draw the last state with the time taken, and end the line."""
        if self._newest is not None:
            done, seconds, values = self._newest
            self._draw(done, f"in {seconds:.{1 if seconds < 10 else 0}f} s  {values}".rstrip())
            self._end()
        self._newest = None
        return model

    def _end(self) -> None:
        """End the line; a next bar starts on a new one."""
        self.stream.write("\n")
        self.stream.flush()
        self._drawn_width = 0

    def say(self, line: str) -> None:
        """Write a line after the bar has ended."""
        self.stream.write(f"{line}\n")
        self.stream.flush()


class NotebookBar(ProgressBar):
    """A progress bar below a notebook's cell, also redrawn in place."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self._place: Any = None  # handle of the bar below the cell

    def _draw(self, done: int, text: str) -> None:
        from IPython.display import display as show

        head = f"{done}/{self.total}"
        bar = f'<progress value="{min(done, self.total)}" max="{max(self.total, 1)}"></progress>'
        shown = {"text/plain": f"{head} {text}", "text/html": f"<div>{bar} {head} {html_of(text)}</div>"}
        if self._place is None:
            self._place = show(shown, raw=True, display_id=True)
        else:
            self._place.update(shown, raw=True)

    def _end(self) -> None:
        self._place = None

    def say(self, line: str) -> None:
        """Print a line."""
        print(line)


def in_notebook() -> bool:
    """Return whether this runs in a notebook's kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def can_draw() -> bool:
    """Return whether a bar can be redrawn in place: on a terminal or in a notebook."""
    return sys.stderr.isatty() or in_notebook()


def bar_of(total: int) -> ProgressBar:
    """Return a bar for the current environment."""
    return NotebookBar(total) if in_notebook() else ProgressBar(total)


def display(n_rounds: int, is_bar: bool, period: int, show_stdv: bool = False) -> list[TrainingCallback]:
    """Return callbacks that show progress: a bar, or a line for every `period` rounds, or nothing if `period` is 0."""
    if is_bar:
        return [bar_of(n_rounds)]
    return [EvaluationMonitor(period, show_stdv)] if period else []


def latest_values(evals_log: EvalsLog, spec: str, show_stdv: bool = False) -> list[str]:
    """Return "data-metric:value" of the latest evaluation; with `show_stdv`, "value+deviation" for pairs."""
    newest = [(data, metric, values[-1]) for data, metrics in evals_log.items() for metric, values in metrics.items()]
    return [f"{data}-{metric}:{_score_text(score, spec, show_stdv)}" for data, metric, score in newest]


def _score_text(score: Score, spec: str, show_stdv: bool) -> str:
    text = f"{mean_of(score):{spec}}"
    return f"{text}+{score[1]:{spec}}" if show_stdv and isinstance(score, tuple) else text
