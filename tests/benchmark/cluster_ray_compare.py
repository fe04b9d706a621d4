"""Training of the same Ray dataset with the same workers: kauriboost.ray beside Ray Train's own trainer for XGBoost.

    python tests/benchmark/cluster_ray_compare.py [--rows 1000000] [--workers 2] [--depth 8] [--rounds 20] [--repeats 3]

Needs ray[data,train,tune] and xgboost. The libraries take turns on one cluster; numbers are medians. Seconds: time of
fit(). Workers: processor time of all workers from the start of their function to its end. All: processor time of all
processes of the cluster and of the driver, with the start of workers. Memory: the largest peak of a worker minus its
memory at the start. Bytes: traffic of the loopback device, of the whole machine. The run fails if Kauri's model differs
from the model of one process by a byte, or if the errors of both models differ by more than 2 %.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_TRAIN_HEALTH_CHECK_INTERVAL_S", "0.2")
os.environ.setdefault("RAY_worker_niceness", "0")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python-package"))
import kauriboost as kb
import numpy as np
import pyarrow as pa
import ray
from dask_compare import block, loopback_bytes
from ray.train import RunConfig, ScalingConfig

N_BLOCKS = 8
TICKS = os.sysconf("SC_CLK_TCK")


class Cost:
    """Writes a worker's processor time and peak memory, from the moment that it is unpickled there, into a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.begin()

    def begin(self) -> None:
        self.seconds = time.process_time()
        self.memory = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    def end(self) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        found = [time.process_time() - self.seconds, max(0, peak - self.memory)]
        Path(self.folder, f"{os.getpid()}.json").write_text(json.dumps(found))


class Measured(Cost, kb.callback.TrainingCallback):
    """The cost of one of Kauri's workers."""

    def after_training(self, model: Any) -> Any:
        self.end()
        return model


class Processes:
    """Adds up the processor time of this process and its descendants, also of those that end."""

    def __init__(self) -> None:
        self._seconds: dict[int, float] = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            self.look()
            time.sleep(0.5)

    def look(self) -> float:
        table = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                table[int(entry.name)] = (int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS)
        for process, (_, seconds) in table.items():
            at = process
            while at in table and at != os.getpid():
                at = table[at][0]
            if at == os.getpid():
                self._seconds[process] = seconds
        return sum(self._seconds.values())


def dataset_of(arguments: argparse.Namespace) -> Any:
    names = [f"x{i}" for i in range(28)] + ["y"]
    n = arguments.rows // N_BLOCKS
    return ray.data.from_arrow([pa.table(dict(zip(names, block(i * n, n).T))) for i in range(N_BLOCKS)])


def params_of(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"max_depth": arguments.depth, "eta": 0.1, "tree_method": "hist", "max_bin": 256}


def kauri(dataset: Any, arguments: argparse.Namespace, run: RunConfig, folder: str) -> Any:
    from kauriboost import ray as kr

    given = {"scaling_config": ScalingConfig(num_workers=arguments.workers), "run_config": run}
    found = kr.train(
        params_of(arguments), dataset, arguments.rounds, label_column="y", callbacks=[Measured(folder)], **given
    )
    return found["booster"]


def learn(config: dict[str, Any]) -> None:
    """Run in each worker of XGBoost, as Ray's documentation shows it."""
    import ray.train
    import xgboost
    from ray.train.xgboost import RayTrainReportCallback

    cost = config["cost"]
    cost.begin()
    frame = ray.train.get_dataset_shard("train").materialize().to_pandas()
    data = xgboost.QuantileDMatrix(frame.drop(columns="y"), label=frame["y"], max_bin=256)
    params = {**config["params"], "nthread": 1}
    evals = [(data, "train")]
    report = RayTrainReportCallback(frequency=0)
    report.after_iteration = lambda *_: False  # Ray Train takes a report every two seconds by default
    xgboost.train(params, data, config["rounds"], evals=evals, verbose_eval=False, callbacks=[report])
    cost.end()


def xgboost_of_ray(dataset: Any, arguments: argparse.Namespace, run: RunConfig, folder: str) -> Any:
    from ray.train.xgboost import RayTrainReportCallback, XGBoostTrainer

    config = {"params": params_of(arguments), "rounds": arguments.rounds, "cost": Cost(folder)}
    trainer = XGBoostTrainer(
        learn,
        train_loop_config=config,
        datasets={"train": dataset},
        scaling_config=ScalingConfig(num_workers=arguments.workers),
        run_config=run,
    )
    return RayTrainReportCallback.get_model(trainer.fit().checkpoint)


def error_of(booster: Any, rows: np.ndarray) -> float:
    import xgboost

    features = [f"x{i}" for i in range(28)]
    kind = kb.DMatrix if isinstance(booster, kb.Booster) else xgboost.DMatrix
    found = booster.predict(kind(rows[:, :-1], feature_names=features))
    return float(np.sqrt(np.mean((found - rows[:, -1]) ** 2)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("rows", 1000000), ("workers", 2), ("depth", 8), ("rounds", 20), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    ray.init(num_cpus=arguments.workers + 2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    dataset, processes = dataset_of(arguments), Processes()
    costs: dict[str, list[list[float]]] = {"kauriboost.ray": [], "ray.train.xgboost": []}
    boosters = {}
    for _ in range(arguments.repeats):
        for name, train in (("kauriboost.ray", kauri), ("ray.train.xgboost", xgboost_of_ray)):
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as runs:
                before, sent, begin = processes.look(), loopback_bytes(), time.perf_counter()
                boosters[name] = train(dataset, arguments, RunConfig(storage_path=runs), folder)
                seconds, sent = time.perf_counter() - begin, loopback_bytes() - sent
                every = [json.loads(path.read_text()) for path in Path(folder).glob("*.json")]
                workers, memory = sum(cpu for cpu, _ in every), max(peak for _, peak in every)
                costs[name].append([seconds, workers, processes.look() - before, memory / 1e6, sent / 1e6])
                print(name, [round(value, 1) for value in costs[name][-1]], flush=True)
    print(f"{'':<20} {'seconds':>9} {'workers s':>9} {'all s':>9} {'MB':>9} {'MB sent':>9}")
    for name, runs_of in costs.items():
        print(f"{name:<20}", *(f"{statistics.median(column):9.1f}" for column in zip(*runs_of)))
    rows = np.concatenate(
        [block(i * (arguments.rows // N_BLOCKS), arguments.rows // N_BLOCKS) for i in range(N_BLOCKS)]
    )
    alone = kb.DMatrix(rows[:, :-1], label=rows[:, -1], feature_names=[f"x{i}" for i in range(28)])
    expected = kb.train(params_of(arguments), alone, arguments.rounds).save_raw()
    same = boosters["kauriboost.ray"].save_raw() == expected
    errors = [error_of(booster, rows) for booster in boosters.values()]
    print(f"the bytes of one process: {same}; errors {errors[0]:.5f} and {errors[1]:.5f}; Ray {ray.__version__}")
    return 0 if same and abs(errors[0] / errors[1] - 1) < 0.02 else 1


if __name__ == "__main__":
    sys.exit(main())
