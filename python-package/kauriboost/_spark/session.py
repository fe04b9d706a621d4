"""Requirements of a training on a Spark session: slots for its workers, ports, encryption."""

from __future__ import annotations

import base64
import secrets
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from .._binding.errors import DataError
from .._collective.sockets import Key

_SECONDS_FOR_SLOTS = 60.0  # for executors that are just being started
_SECONDS_BETWEEN_LOOKS = 0.5
_SECONDS_OF_KEYTOOL = 120.0
# Settings of a cluster that encrypts or authenticates its own connections.
_ENCRYPTED = ("spark.authenticate", "spark.network.crypto.enabled", "spark.ssl.enabled", "spark.ssl.rpc.enabled")


def require_workers(session: Any, n_workers: int, profile: Any, on_gpus: bool) -> None:
    """Raise DataError unless the session can run this number of tasks at the same time.

    `profile` is the resource profile of the tasks, or None for the session's own.
    """
    context = session.sparkContext
    if _is_on(context, "spark.dynamicAllocation.enabled") and not context.master.startswith("local"):
        raise DataError(
            "spark.dynamicAllocation.enabled is true, and the workers of a training must all be there from its "
            "beginning to its end, which Spark refuses to promise then; set it to false, with "
            "spark.executor.instances for the number of executors."
        )
    end = time.monotonic() + _SECONDS_FOR_SLOTS
    while (slots := _slots(context, profile)) < n_workers:
        if time.monotonic() >= end:
            gpu, more = (" and one GPU", "cores and GPUs") if on_gpus else ("", "cores")
            raise DataError(
                f"num_workers is {n_workers}, but the cluster runs {slots} tasks of {_cpus(context)} CPUs{gpu} at the "
                f"same time; choose fewer workers, or start more executors or executors with more {more}."
            )
        time.sleep(_SECONDS_BETWEEN_LOOKS)


def _slots(context: Any, profile: Any) -> int:
    scala = context._jsc.sc()
    manager = scala.resourceProfileManager()
    if profile is None:
        return int(scala.maxNumConcurrentTasks(manager.defaultResourceProfile()))
    manager.addResourceProfile(profile._java_resource_profile)
    return int(scala.maxNumConcurrentTasks(profile._java_resource_profile))


def _cpus(context: Any) -> str:
    return str(context.getConf().get("spark.task.cpus", "1"))


def _is_on(context: Any, name: str) -> bool:
    return str(context.getConf().get(name, "false")).lower() == "true"


def ports_of(session: Any) -> tuple[int, ...]:
    """Return the ports at which a worker may listen: the ports of Spark's block managers if set, or any (0)."""
    settings = session.sparkContext.getConf()
    first = int(settings.get("spark.blockManager.port", "0"))
    if first == 0:
        return (0,)
    return tuple(range(first, min(first + int(settings.get("spark.port.maxRetries", "16")), 65535) + 1))


def new_key(session: Any) -> Key:
    """Return a key for one training, with a certificate if the cluster's own connections are protected."""
    context = session.sparkContext
    is_encrypted = any(_is_on(context, name) for name in _ENCRYPTED)
    return Key(secrets.token_bytes(32), _certificate(context._gateway) if is_encrypted else None)


def _certificate(gateway: Any) -> str:
    """Return a new private key with its certificate as PEM, made by Java, which Spark needs anyway."""
    java = gateway.jvm
    tool = Path(java.java.lang.System.getProperty("java.home")) / "bin" / "keytool"
    password = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "store")
        where = ["-keystore", store, "-storetype", "PKCS12", "-storepass:env", "KAURI_STORE", "-alias", "kauri"]
        what = ["-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=kauriboost", "-validity", "365"]
        quick = ["-J-XX:TieredStopAtLevel=1", "-J-Xshare:auto"]  # a program of half a second compiles little
        subprocess.run(
            [str(tool), "-genkeypair", *what, *where, *quick],
            capture_output=True,
            env={"KAURI_STORE": password},
            timeout=_SECONDS_OF_KEYTOOL,
            check=True,
        )
        keys = java.java.security.KeyStore.getInstance("PKCS12")
        stream = java.java.io.FileInputStream(store)
        letters = gateway.new_array(java.char, len(password))
        for i, letter in enumerate(password):
            letters[i] = letter
        keys.load(stream, letters)
        stream.close()
        kind = java.java.lang.Class.forName("java.security.spec.PKCS8EncodedKeySpec")
        spec = java.java.security.KeyFactory.getInstance("EC").getKeySpec(keys.getKey("kauri", letters), kind)
        certificate = bytes(keys.getCertificate("kauri").getEncoded())
    return _pem("PRIVATE KEY", bytes(spec.getEncoded())) + _pem("CERTIFICATE", certificate)


def _pem(name: str, data: bytes) -> str:
    text = base64.encodebytes(data).decode()
    return f"-----BEGIN {name}-----\n{text}-----END {name}-----\n"
