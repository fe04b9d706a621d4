"""The configuration of the process, build information, and collectives of one rank."""

from __future__ import annotations

import threading

import numpy as np
import xgboost as xgb
from scenarios.support.data import regression
from scenarios.support.models import SMALL, learn
from scenarios.support.scenario import EQUAL, caught, close, scenario


@scenario(EQUAL)
def what_is_configured() -> object:
    return dict(sorted(xgb.get_config().items()))


@scenario(EQUAL)
def configured_and_back() -> object:
    xgb.set_config(verbosity=2)
    inside = []
    with xgb.config_context(verbosity=0):
        inside.append(xgb.get_config()["verbosity"])
        with xgb.config_context(verbosity=3):
            inside.append(xgb.get_config()["verbosity"])
    return [*inside, xgb.get_config()["verbosity"]]


@scenario(EQUAL)
def each_thread_for_itself() -> object:
    seen: list[object] = []

    def work() -> None:
        seen.append(xgb.get_config()["verbosity"])
        xgb.set_config(verbosity=3)
        seen.append(xgb.get_config()["verbosity"])

    with xgb.config_context(verbosity=0):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return [*seen, xgb.get_config()["verbosity"]]


@scenario(EQUAL)
def an_allocator_that_is_not_there() -> object:
    with xgb.config_context(use_rmm=True):
        return xgb.get_config()["use_rmm"]


@scenario(EQUAL)
def a_setting_that_is_unknown() -> object:
    return caught("", lambda: xgb.set_config(colour="blue"))["raised"]


@scenario(EQUAL)
def what_the_build_says() -> object:
    info = xgb.build_info()
    asked = ("USE_CUDA", "USE_NCCL", "USE_FEDERATED", "USE_OPENMP", "USE_RMM", "DEBUG", "USE_DLOPEN_NCCL")
    return {name: type(info[name]).__name__ for name in asked}


@scenario(EQUAL)
def a_version() -> object:
    return xgb.__version__


@scenario(EQUAL)
def a_collective_of_one() -> object:
    numbers = [xgb.collective.get_rank(), xgb.collective.get_world_size(), xgb.collective.is_distributed()]
    summed = xgb.collective.allreduce(np.arange(3.0), xgb.collective.Op.SUM)
    return [*numbers, len(xgb.collective.get_processor_name()) > 0, summed, xgb.collective.broadcast({"a": 1}, 0)]


@scenario(close())
def a_tracker_for_one() -> object:
    features, labels = regression()
    tracker = xgb.RabitTracker(host_ip="127.0.0.1", n_workers=1)
    tracker.start()
    with xgb.collective.CommunicatorContext(**tracker.worker_args()):
        predictions = learn({}, features, labels).predict(xgb.DMatrix(features))
    tracker.wait_for(5)
    return predictions


@scenario(EQUAL)
def threads_of_matrices() -> object:
    features, labels = regression()
    data = [xgb.DMatrix(features, labels, nthread=n) for n in (1, 2, -1)]
    return [xgb.train({**SMALL, "nthread": 1}, matrix, 2).num_boosted_rounds() for matrix in data]
