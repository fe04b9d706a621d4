"""Groups of Dask workers, without a training."""

from __future__ import annotations

import time
import uuid
from typing import Any

import conformance
import distributed
import numpy as np
import pytest
from clusters import addresses_of, make_cluster
from kauriboost._dask.dask_rank import DaskRank
from kauriboost._dask.worker_endpoint import CLOSE, OPEN, EndpointPlugin, endpoint_of
from kauriboost.collective import CollectiveError


def check_all(rank: DaskRank) -> None:
    conformance.check_all(rank)


def on_rank(run: Any, training_id: str, epoch: int) -> Any:
    distributed.secede()
    return run(DaskRank(endpoint_of(distributed.get_worker()), training_id, epoch))


def send_out(client: Any, run: Any, addresses: list[str], timeout: float = 30.0) -> tuple[str, list[Any]]:
    """Open an epoch and run a function on every rank; return the training's identifier, and the futures by rank."""
    client.register_plugin(EndpointPlugin())
    training_id = uuid.uuid4().hex
    message = {"op": OPEN, "training_id": training_id, "epoch": 0, "addresses": addresses, "timeout": timeout}
    client.sync(client.scheduler.broadcast, msg=message, workers=addresses)
    futures = [client.submit(on_rank, run, training_id, 0, workers=[address], pure=False) for address in addresses]
    return training_id, futures


def test_conformance(client: Any) -> None:
    for n in (1, 2, 3):
        _, futures = send_out(client, check_all, addresses_of(client)[:n])
        assert client.gather(futures) == [None] * n


def add_up(n_times: int) -> Any:
    def run(rank: DaskRank) -> int:
        values = np.arange(5) + rank.rank
        for _ in range(n_times):
            rank.sum(values)
        return int(values.sum())

    return run


def test_several_trainings_at_a_time(client: Any) -> None:
    """There are more trainings than threads per worker, and they start in any order."""
    addresses = addresses_of(client)
    trainings = [send_out(client, add_up(20), addresses if i % 2 else addresses[::-1])[1] for i in range(4)]
    results = [client.gather(futures) for futures in trainings]
    assert all(result == results[0] for result in results)


def lose_step(rank: DaskRank) -> None:
    if rank.rank == 1:
        rank.max(np.zeros(3, dtype=np.uint64))
    else:
        rank.sum(np.zeros(2, dtype=np.int64))


def test_ranks_that_lose_step_are_told_both_sides(client: Any) -> None:
    addresses = addresses_of(client)[:2]
    _, futures = send_out(client, lose_step, addresses)
    errors = [future.exception(timeout=20) for future in futures]
    assert all(isinstance(error, CollectiveError) for error in errors)
    text = str(errors[0])
    assert "(sum, step 1, 16 bytes" in text
    assert "(max, step 1, 24 bytes" in text
    assert all(address in text for address in addresses)


def wait_in_vain(rank: DaskRank) -> None:
    if rank.rank == 0:
        rank.sum(np.zeros(2, dtype=np.int64))


def test_the_deadline_names_rank_address_operation_and_sequence(client: Any) -> None:
    addresses = addresses_of(client)[:2]
    _, futures = send_out(client, wait_in_vain, addresses, timeout=0.5)
    error = futures[0].exception(timeout=20)
    assert isinstance(error, CollectiveError)
    for part in (f"rank 0 ({addresses[0]}) waited 0.5 s", f"rank 1 ({addresses[1]})", "call 1 (sum", "`timeout`"):
        assert part in str(error)


def abort_or_wait(rank: DaskRank) -> None:
    if rank.rank == 2:
        time.sleep(0.3)
        rank.abort("no room on the disk")
    rank.sum(np.zeros(2, dtype=np.int64))


def test_abort_reaches_ranks_that_wait(client: Any) -> None:
    _, futures = send_out(client, abort_or_wait, addresses_of(client), timeout=60)
    begin = time.monotonic()
    assert [str(future.exception(timeout=20)) for future in futures] == ["no room on the disk"] * 3
    assert time.monotonic() - begin < 15


def inboxes(dask_worker: Any) -> list[str]:
    return list(endpoint_of(dask_worker)._inboxes)


def test_a_training_that_is_closed_or_idle_is_forgotten(client: Any) -> None:
    addresses = addresses_of(client)
    training_id, futures = send_out(client, add_up(1), addresses)
    client.gather(futures)
    assert all(training_id in names for names in client.run(inboxes).values())
    client.sync(client.scheduler.broadcast, msg={"op": CLOSE, "training_id": training_id}, workers=addresses)
    assert not any(training_id in names for names in client.run(inboxes).values())

    training_id, futures = send_out(client, add_up(1), addresses, timeout=0.2)
    client.gather(futures)
    time.sleep(1)
    assert not any(training_id in names for names in client.run(inboxes).values())


def test_workers_that_are_threads() -> None:
    """Their connections have no sockets, so Dask transports each message."""
    with make_cluster(3, processes=False) as cluster, distributed.Client(cluster) as client:
        addresses = addresses_of(client)
        assert all(address.startswith("inproc://") for address in addresses)
        for run in (check_all, lose_step, wait_in_vain, abort_or_wait):
            _, futures = send_out(client, run, addresses if run is not lose_step else addresses[:2], timeout=2)
            errors = [future.exception(timeout=20) for future in futures]
            assert all(error is None or isinstance(error, CollectiveError) for error in errors)
            assert any(errors) == (run is not check_all)


def test_encrypted_connections() -> None:
    pytest.importorskip("cryptography")
    security = distributed.Security.temporary()
    with make_cluster(2, security=security) as cluster, distributed.Client(cluster) as client:
        addresses = addresses_of(client)
        assert all(address.startswith("tls://") for address in addresses)
        _, futures = send_out(client, check_all, addresses)
        assert client.gather(futures) == [None] * 2
