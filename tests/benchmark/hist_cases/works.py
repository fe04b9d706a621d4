"""Cases of gpu_hist.py; a case is called a work, and is data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Work:
    """One line of the table.

    `measure` names the measurement: `tree`, milliseconds of a round from the difference of two trainings on a ready
    matrix; `rounds`, seconds of all rounds on a ready matrix; `arrays`, seconds from arrays to the model; `matrix`,
    milliseconds until rounds can be trained; `memory`, the peaks of the device in MiB.
    """

    name: str
    measure: str
    data: str = "dense"  # dense, classes, onehot
    rows: int = 10_000_000
    columns: int = 28
    depth: int = 6  # 0: no limit
    leaves: int = 0  # above 0: lossguide
    rounds: int = 50
    source: str = "host"  # host, device: where the arrays are
    max_bin: int = 256

    def data_key(self) -> tuple[Any, ...]:
        """Return the work's key. Works with the same key share a process, its rows and its matrix."""
        return self.data, self.rows, self.columns, self.source, self.max_bin, self.measure in {"tree", "rounds"}

    def needs_device(self) -> bool:
        """Return whether the work cannot be measured on the CPU."""
        return self.measure == "memory" or self.source == "device"

    def describe(self) -> str:
        """Return the name and the size, as printed."""
        how = f"{self.leaves} leaves" if self.leaves else f"depth {self.depth}"
        return f"{self.name}: {self.rows:,} x {self.columns}, {how}, {self.rounds} rounds, {self.source} arrays"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, to be sent to the worker process."""
        return asdict(self)


WORKS = {
    work.name: work
    for work in (
        Work("trees", "tree"),
        Work("depth8", "tree", depth=8),
        Work("depth12", "tree", depth=12, rounds=20),
        Work("leaves", "tree", depth=0, leaves=255, rounds=20),
        Work("narrow", "tree", columns=8, depth=10, rounds=20),
        Work("classes", "rounds", data="classes", rows=581_012, columns=54, rounds=100),
        Work("onehot", "tree", data="onehot", rows=1_000_000, columns=1000),
        Work("wide", "tree", rows=1_000_000, columns=500),
        Work("rows50k", "arrays", rows=50_000, rounds=100),
        Work("rows1k", "arrays", rows=1000, rounds=100),
        Work("matrix", "matrix", rounds=1),
        Work("matrix-device", "matrix", rounds=1, source="device"),
        Work("memory", "memory", rounds=5),
        Work("memory-device", "memory", rounds=5, source="device"),
    )
}
UNITS = {"tree": "ms a tree", "rounds": "s", "arrays": "s", "matrix": "ms", "memory": "MiB"}


def chosen(names: list[str], changes: dict[str, Any]) -> list[Work]:
    """Return the works of these names, or all if `names` is empty, with the changes from the command line."""
    given = {key: value for key, value in changes.items() if value is not None}
    return [replace(WORKS[name], **given) for name in names or WORKS]
