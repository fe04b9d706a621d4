"""GPUs of workers: each worker trains on a GPU of its own, which Spark's resources name."""

from __future__ import annotations

import os
from typing import Any

from .._binding.errors import ParameterError

RESOURCE = "gpu"  # Spark's name, as in spark.task.resource.gpu.amount
_AMOUNT_OF_TASK = f"spark.task.resource.{RESOURCE}.amount"
_AMOUNT_OF_EXECUTOR = f"spark.executor.resource.{RESOURCE}.amount"


def uses_gpus(device: Any) -> bool:
    """Return whether a training with this parameter `device` runs on GPUs.

    Raises ParameterError if the parameter names one GPU, because Spark chooses it.
    """
    kind, _, number = str(device or "cpu").partition(":")
    if number and kind != "cpu":
        raise ParameterError(f'device is {device!r}, and Spark chooses the GPU of each worker; set device="{kind}".')
    return kind != "cpu"


def profile_of_training(session: Any) -> Any:
    """Return the resource profile whose tasks have one GPU each, or None if all tasks of the session have one anyway.

    Spark's local mode knows no resources, and gets no profile. Raises ParameterError if executors have no GPUs.
    """
    context = session.sparkContext
    if is_local(context):
        return None
    settings = context.getConf()
    in_executor = float(settings.get(_AMOUNT_OF_EXECUTOR, "0"))
    if in_executor < 1:
        raise ParameterError(
            f"device is a GPU, and executors have {in_executor:g} GPUs; start the session with {_AMOUNT_OF_EXECUTOR} "
            f"and {_AMOUNT_OF_TASK} of 1 or more, and with spark.executor.resource.gpu.discoveryScript if your cluster "
            "needs it."
        )
    if float(settings.get(_AMOUNT_OF_TASK, "0")) >= 1:
        return None
    from pyspark.resource import ResourceProfileBuilder, TaskResourceRequests

    wanted = TaskResourceRequests().cpus(int(settings.get("spark.task.cpus", "1"))).resource(RESOURCE, 1)
    return ResourceProfileBuilder().require(wanted).build


def is_local(context: Any) -> bool:
    """Return whether the session runs tasks in threads of the driver."""
    return str(context.master).partition("[")[0] == "local"


def device_of_task(resources: Any, rank: int) -> str:
    """Return the name of a worker's GPU, ``cuda:N``.

    Parameters
    ----------
    resources
        Of the task, as from ``TaskContext.resources()``.
    rank
        The number of the worker, which is the number of its GPU in Spark's local mode.

    Raises ParameterError if Spark names the GPU by something else than a number.
    """
    if RESOURCE not in resources:
        return f"cuda:{rank}"
    address = str(resources[RESOURCE].addresses[0]).strip()
    visible = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    if address in visible:  # CUDA counts the visible devices
        return f"cuda:{visible.index(address)}"
    if not address.isdecimal():
        raise ParameterError(
            f"the address of a worker's GPU is {address!r}; let spark.executor.resource.gpu.discoveryScript return "
            "numbers as nvidia-smi has them, or name the device in CUDA_VISIBLE_DEVICES of the executor."
        )
    return f"cuda:{int(address)}"
