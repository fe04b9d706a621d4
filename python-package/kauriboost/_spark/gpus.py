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

    Raises ParameterError for a device that is none, and for one GPU by its number, because Spark chooses it.
    """
    if device in (None, "cpu"):
        return False
    if device in ("cuda", "gpu"):
        return True
    if str(device).startswith(("cuda:", "gpu:")):
        raise ParameterError(f'device is {device!r}, and Spark chooses the GPU of each worker; set device="cuda".')
    raise ParameterError(f"device is {device!r}; workers of Spark know 'cpu' and 'cuda'.")


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
    if float(settings.get(_AMOUNT_OF_TASK, "0")) == 1:
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

    Raises ParameterError if Spark's name of the GPU is neither a number nor in CUDA_VISIBLE_DEVICES.
    """
    if RESOURCE not in resources:
        return f"cuda:{rank}"
    address = str(resources[RESOURCE].addresses[0]).strip()
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None and address.isdecimal():
        return f"cuda:{int(address)}"
    names = [name.strip() for name in (visible or "").split(",")]
    if address not in names:
        raise ParameterError(
            f"the address of a worker's GPU is {address!r}, and CUDA_VISIBLE_DEVICES of the executor is {visible!r}; "
            "let spark.executor.resource.gpu.discoveryScript return names from this list, or, where the variable is "
            "not set, numbers as nvidia-smi has them."
        )
    return f"cuda:{names.index(address)}"  # CUDA counts the visible devices
