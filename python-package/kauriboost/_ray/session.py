"""Requirements of a training on a Ray cluster: places for its workers, ports, encryption, an end of every wait."""

from __future__ import annotations

import dataclasses
import datetime
import math
import os
import secrets
import time
from typing import Any

import ray
from ray.train import RunConfig, ScalingConfig

from .._binding.errors import DataError, ParameterError
from .._collective.sockets import Key

_SECONDS_OF_A_START = 60.0  # that Ray Train waits for the places of its workers, by default
_START_SETTING = "RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S"
_DAYS_OF_A_CERTIFICATE = 365
_SECONDS_BETWEEN_LOOKS = 0.5
_FEWEST_STARTS = 3  # a worker may die while it starts


def require_places(scaling: ScalingConfig, timeout: float) -> None:
    """Raise DataError unless the cluster has, or gets in time, what the workers need."""
    wanted = {name: amount * scaling.min_workers for name, amount in _each(scaling).items() if amount}
    end = time.monotonic() + min(timeout, _SECONDS_OF_A_START)
    while True:
        there = ray.cluster_resources()
        lacking = [name for name, amount in wanted.items() if there.get(name, 0) < amount]
        if not lacking:
            return
        if time.monotonic() >= end:
            name = lacking[0]
            raise DataError(
                f"{scaling.min_workers} workers need {wanted[name]:g} of {name}, and the cluster has "
                f"{there.get(name, 0):g}; choose fewer workers or less for each by ScalingConfig, or add nodes."
            )
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _each(scaling: ScalingConfig) -> dict[str, float]:
    if scaling.min_workers == 0:
        return {}
    found: dict[str, float] = dict(scaling._resources_per_worker_not_none)
    return found


def with_an_end(run: RunConfig | None, timeout: float) -> RunConfig:
    """Return the configuration of a run that does not wait for places for ever, as Ray Train does by itself."""
    run = run or RunConfig()
    failure = run.failure_config
    if failure.controller_failure_limit == -1:
        seconds = float(os.environ.get(_START_SETTING, _SECONDS_OF_A_START))
        limit = max(_FEWEST_STARTS, math.ceil(timeout / seconds))
        run = dataclasses.replace(run, failure_config=dataclasses.replace(failure, controller_failure_limit=limit))
    return run


def ports_of(given: Any) -> tuple[int, ...]:
    """Return the ports at which a worker may listen, from first and last one; any (0) if none are given."""
    if given is None:
        return (0,)
    first, last = (int(port) for port in given)
    if not 0 < first <= last < 1 << 16:
        raise ParameterError(f"ports is {given!r}; expected the first and the last port, such as (20000, 20100).")
    return tuple(range(first, last + 1))


def new_key() -> Key:
    """Return a key for one training, with a certificate if Ray's own connections are encrypted."""
    return Key(secrets.token_bytes(32), _certificate() if os.environ.get("RAY_USE_TLS", "0") in ("1", "true") else None)


def _certificate() -> str:
    """Return a new private key with its certificate as PEM."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError as error:
        raise DataError(
            "RAY_USE_TLS is on, and the connections of a training need a certificate, too, which the package "
            "cryptography makes: pip install cryptography."
        ) from error
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kauriboost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # clocks of nodes differ
        .not_valid_after(now + datetime.timedelta(days=_DAYS_OF_A_CERTIFICATE))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private.decode() + made.public_bytes(serialization.Encoding.PEM).decode()
