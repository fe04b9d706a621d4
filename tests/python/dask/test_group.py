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
from kauriboost._dask.group import DaskRank
from kauriboost._dask.station import CLOSE, OPEN, StationPlugin, station_of
from kauriboost.collective import CollectiveError


def check_all(group: DaskRank) -> None:
    conformance.check_all(group)


def on_rank(run: Any, group: str, epoch: int) -> Any:
    distributed.secede()
    return run(DaskRank(station_of(distributed.get_worker()), group, epoch))


def send_out(client: Any, run: Any, addresses: list[str], timeout: float = 30.0) -> tuple[str, list[Any]]:
    """Open a group and run a function on every rank; return its name, and the futures by rank."""
    client.register_plugin(StationPlugin())
    group = uuid.uuid4().hex
    message = {"op": OPEN, "group": group, "epoch": 0, "addresses": addresses, "timeout": timeout}
    client.sync(client.scheduler.broadcast, msg=message, workers=addresses)
    futures = [client.submit(on_rank, run, group, 0, workers=[address], pure=False) for address in addresses]
    return group, futures


def test_conformance(client: Any) -> None:
    for n in (1, 2, 3):
        _, futures = send_out(client, check_all, addresses_of(client)[:n])
        assert client.gather(futures) == [None] * n


def add_up(n_times: int) -> Any:
    def run(group: DaskRank) -> int:
        values = np.arange(5) + group.rank
        for _ in range(n_times):
            group.sum(values)
        return int(values.sum())

    return run


def test_several_groups_at_a_time(client: Any) -> None:
    """There are more groups than threads per worker, and they start in any order."""
    addresses = addresses_of(client)
    groups = [send_out(client, add_up(20), addresses if i % 2 else addresses[::-1])[1] for i in range(4)]
    results = [client.gather(futures) for futures in groups]
    assert all(result == results[0] for result in results)


def lose_step(group: DaskRank) -> None:
    if group.rank == 1:
        group.max(np.zeros(3, dtype=np.uint64))
    else:
        group.sum(np.zeros(2, dtype=np.int64))


def test_ranks_that_lose_step_are_told_both_sides(client: Any) -> None:
    addresses = addresses_of(client)[:2]
    _, futures = send_out(client, lose_step, addresses)
    errors = [future.exception(timeout=20) for future in futures]
    assert all(isinstance(error, CollectiveError) for error in errors)
    text = str(errors[0])
    assert "(sum, step 1, 16 bytes" in text
    assert "(max, step 1, 24 bytes" in text
    assert all(address in text for address in addresses)


def wait_in_vain(group: DaskRank) -> None:
    if group.rank == 0:
        group.sum(np.zeros(2, dtype=np.int64))


def test_the_deadline_names_rank_address_operation_and_sequence(client: Any) -> None:
    addresses = addresses_of(client)[:2]
    _, futures = send_out(client, wait_in_vain, addresses, timeout=0.5)
    error = futures[0].exception(timeout=20)
    assert isinstance(error, CollectiveError)
    for part in (f"rank 0 ({addresses[0]}) waited 0.5 s", f"rank 1 ({addresses[1]})", "call 1 (sum", "`timeout`"):
        assert part in str(error)


def abort_or_wait(group: DaskRank) -> None:
    if group.rank == 2:
        time.sleep(0.3)
        group.abort("no room on the disk")
    group.sum(np.zeros(2, dtype=np.int64))


def test_abort_reaches_ranks_that_wait(client: Any) -> None:
    _, futures = send_out(client, abort_or_wait, addresses_of(client), timeout=60)
    begin = time.monotonic()
    assert [str(future.exception(timeout=20)) for future in futures] == ["no room on the disk"] * 3
    assert time.monotonic() - begin < 15


def mailboxes(dask_worker: Any) -> list[str]:
    return list(station_of(dask_worker)._mailboxes)


def test_a_group_that_is_closed_or_idle_is_forgotten(client: Any) -> None:
    addresses = addresses_of(client)
    group, futures = send_out(client, add_up(1), addresses)
    client.gather(futures)
    assert all(group in names for names in client.run(mailboxes).values())
    client.sync(client.scheduler.broadcast, msg={"op": CLOSE, "group": group}, workers=addresses)
    assert not any(group in names for names in client.run(mailboxes).values())

    group, futures = send_out(client, add_up(1), addresses, timeout=0.2)
    client.gather(futures)
    time.sleep(1)
    assert not any(group in names for names in client.run(mailboxes).values())


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
