"""Peak of a device's memory as the driver reports it, polled in a thread while a function runs.

The measure is the same for every library, whatever allocator it has. Memory that is freed within a fraction of a
millisecond may be missed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
INTERVAL_S = 0.0003


class DeviceMemory:
    """Bytes in use on the first device, by the whole process and by the driver itself."""

    def __init__(self) -> None:
        from paper_tables.machine import CudaDriver

        self._driver: Any = CudaDriver()

    def trim(self) -> None:
        """Free the unused memory that the default pool holds."""
        self._driver.forget_peak()

    def used(self) -> int:
        """Return the bytes in use now."""
        return self._driver.memory()["device_used"]

    def peak_of(self, act: Callable[[], T]) -> tuple[T, int]:
        """Run `act`; returns its result and the most bytes in use meanwhile."""
        most, done = self.used(), threading.Event()

        def poll() -> None:
            nonlocal most
            self._driver.enter_thread()
            while not done.is_set():
                most = max(most, self.used())
                time.sleep(INTERVAL_S)

        thread = threading.Thread(target=poll)
        thread.start()
        try:
            result = act()
        finally:
            done.set()
            thread.join()
        return result, max(most, self.used())
