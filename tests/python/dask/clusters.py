"""Clusters of processes on this machine."""

from __future__ import annotations

from typing import Any

import dask
import distributed


def make_cluster(n_workers: int, **options: Any) -> Any:
    """Return a cluster of processes that Dask restarts when they end, however slow the machine is."""
    dask.config.set({"distributed.deploy.lost-worker-timeout": "300s"})
    return distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", **{"processes": True, **options}
    )


def addresses_of(client: Any) -> list[str]:
    return sorted(client.scheduler_info(n_workers=-1)["workers"])
