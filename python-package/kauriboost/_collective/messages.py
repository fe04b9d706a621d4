"""Collective calls built from messages between pairs of ranks.

Short arrays, and all arrays of two ranks, use recursive doubling: in the k-th step a rank exchanges its data with the
rank whose number differs in the k-th bit, so after log2(n) steps each has everything. Ranks beyond the largest power of
two send their data to a partner first and receive the result at the end. Long arrays go round a ring in n pieces: n - 1
steps sum each piece, and n - 1 more distribute the sums. Every rank sends and receives about twice the array, whatever
the number of ranks. If each rank needs the sums of its own piece only, the first n - 1 steps suffice.

Minimum cost, for S bytes of numbers and n ranks: each rank sends and receives 2 (n - 1) / n S for a sum on all ranks,
and half as much for a sum of parts. Sums are packed (encodings.py); histograms shrink to 0.35 to 0.5 of S.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import numpy as np

from .._binding.errors import CollectiveError
from .collective import Collective
from .encodings import Encoding, Packed, Plain

SHORT_BYTES = 1 << 20  # maximum size of an array for doubling, which has fewer steps but sends more bytes than the ring

_LAST_STEP = 1000  # step number of the final message to a rank beyond the power of two, which has not counted the steps


class Header(NamedTuple):
    """Identifies the call of a message. Both sides compare it, to detect ranks that are out of step."""

    epoch: int
    sequence: int  # number of the collective call
    operation: str
    step: int
    n_bytes: int  # size of the numbers in memory; the payload may be packed

    def __str__(self) -> str:
        return f"call {self.sequence} ({self.operation}, step {self.step}, {self.n_bytes} bytes, epoch {self.epoch})"


class Outgoing(NamedTuple):
    """A message to send."""

    to: int
    header: Header
    payload: np.ndarray  # uint8; it may change as soon as the sending call has returned


class Awaited(NamedTuple):
    """The message expected from a rank."""

    source: int
    header: Header


class _Message(NamedTuple):
    to: int
    payload: np.ndarray
    n_bytes: int  # size of the numbers in memory


def require_same(expected: Header, received: Header, rank: str, sender: str) -> None:
    """Raise CollectiveError, naming both sides, unless a message is the expected one."""
    if expected != received:
        raise CollectiveError(
            f"{rank} is at {expected}, {sender} at {received}: the ranks have lost step. All must make the same calls "
            "with the same parameters and versions of kauriboost."
        )


class MessageCollective(Collective):
    """A communicator whose ranks exchange messages; a subclass implements the transport.

    Parameters
    ----------
    rank, size
        As for `Collective`.
    epoch
        Number of the attempt of the training; messages of other attempts are refused.
    """

    def __init__(self, rank: int, size: int, epoch: int = 0) -> None:
        self.rank, self.size, self.epoch = rank, size, epoch
        self.bytes_sent = 0
        self._sequence = 0
        self._step = 0
        self._operation = ""
        self._plain, self._packed = Plain(), Packed()
        self._core = 1 << (size.bit_length() - 1)  # the largest power of two that is at most `size`

    @abstractmethod
    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Send a message and receive one at the same time; either may be None.

        Returns
        -------
        numpy.ndarray
            The received bytes, uint8, valid until the next call; empty if no message is awaited.
        """

    # ---- the calls ----

    def sum(self, values: np.ndarray) -> None:
        """Implement `Collective.sum`."""
        self._begin("sum")
        self._reduce(values, self._packed)

    def sum_parts(self, values: np.ndarray, begins: np.ndarray) -> None:
        """Implement `Collective.sum_parts`."""
        self._begin("sums")
        self._reduce_parts(_pieces(values, begins), self._packed)

    def max(self, values: np.ndarray) -> None:
        """Implement `Collective.max`."""
        self._begin("max")
        self._reduce(values, self._plain)

    def gather(self, mine: np.ndarray, sizes: np.ndarray, everything: np.ndarray) -> None:
        """Implement `Collective.gather`."""
        self._begin("gather")
        blocks = _pieces(everything, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))
        blocks[self.rank][:] = mine
        if self._is_short(everything):
            self._gather_by_doubling(blocks)
        else:
            self._hand_round(blocks, self._plain)

    # ---- one message ----

    def _begin(self, operation: str) -> None:
        self._sequence += 1
        self._step = 0
        self._operation = operation

    def _is_short(self, values: np.ndarray) -> bool:
        return self.size == 2 or values.nbytes <= SHORT_BYTES or len(values) < self.size

    def _swap(self, sent: _Message | None, source: int | None, n_bytes: int) -> np.ndarray:
        """Send a message, and receive a message of numbers that have `n_bytes` in memory."""
        header = Header(self.epoch, self._sequence, self._operation, self._step, n_bytes)
        self._step += 1
        outgoing = None
        if sent is not None:
            outgoing = Outgoing(sent.to, header._replace(n_bytes=sent.n_bytes), sent.payload)
            self.bytes_sent += sent.payload.nbytes
        return self.swap(outgoing, None if source is None else Awaited(source, header))

    def _send(self, to: int, values: np.ndarray, encoding: Encoding) -> None:
        self._swap(_Message(to, encoding.written(values), values.nbytes), None, 0)

    # ---- sums and maxima ----

    def _reduce(self, values: np.ndarray, encoding: Encoding) -> None:
        if self._is_short(values):
            self._reduce_by_doubling(values, encoding)
        else:
            pieces = np.array_split(values, self.size)
            self._reduce_parts(pieces, encoding)
            self._hand_round(pieces, encoding)

    def _reduce_by_doubling(self, values: np.ndarray, encoding: Encoding) -> None:
        partner = self.rank ^ self._core
        if self.rank >= self._core:
            self._send(partner, values, encoding)
            self._step = _LAST_STEP
            encoding.replace(values, self._swap(None, partner, values.nbytes))
            return
        has_partner = partner < self.size
        if has_partner:
            encoding.combine(values, self._swap(None, partner, values.nbytes))
        for bit in self._bits():
            other = self.rank ^ bit
            sent = _Message(other, encoding.written(values), values.nbytes)
            encoding.combine(values, self._swap(sent, other, values.nbytes))
        if has_partner:
            self._step = _LAST_STEP
            self._send(partner, values, encoding)

    def _bits(self) -> list[int]:
        self._step = 1  # also without a partner
        return [1 << k for k in range(self._core.bit_length() - 1)]

    def _reduce_parts(self, pieces: list[np.ndarray], encoding: Encoding) -> None:
        """Reduce this rank's piece over all ranks, round the ring."""
        for step in range(1, self.size):
            mine = pieces[(self.rank - step - 1) % self.size]
            encoding.combine(mine, self._pass_on(pieces[(self.rank - step) % self.size], encoding, mine))

    def _hand_round(self, pieces: list[np.ndarray], encoding: Encoding) -> None:
        """Distribute each rank's piece to all ranks, round the ring."""
        for step in range(self.size - 1):
            next_piece = pieces[(self.rank - step - 1) % self.size]
            encoding.replace(next_piece, self._pass_on(pieces[(self.rank - step) % self.size], encoding, next_piece))

    def _pass_on(self, sent: np.ndarray, encoding: Encoding, awaited: np.ndarray) -> np.ndarray:
        right, left = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        return self._swap(_Message(right, encoding.written(sent), sent.nbytes), left, awaited.nbytes)

    # ---- short gathers ----

    def _gather_by_doubling(self, blocks: list[np.ndarray]) -> None:
        partner = self.rank ^ self._core
        if self.rank >= self._core:
            self._send(partner, blocks[self.rank], self._plain)
            self._step = _LAST_STEP
            self._take(partner, [block for i, block in enumerate(blocks) if i != self.rank])
            return
        has_partner = partner < self.size
        if has_partner:
            self._take(partner, [blocks[partner]])
        for bit in self._bits():
            other = self.rank ^ bit
            known = np.concatenate([blocks[i] for i in self._known(self.rank, bit)])
            self._take(other, [blocks[i] for i in self._known(other, bit)], _Message(other, known, known.nbytes))
        if has_partner:
            self._step = _LAST_STEP
            self._send(partner, np.concatenate([block for i, block in enumerate(blocks) if i != partner]), self._plain)

    def _known(self, rank: int, bit: int) -> list[int]:
        """Return the ranks whose blocks a rank has before the step of `bit`: its neighbours and their partners."""
        begin = rank & ~(bit - 1)
        near = range(begin, begin + bit)
        return [*near, *(i + self._core for i in near if i + self._core < self.size)]

    def _take(self, source: int, blocks: list[np.ndarray], sent: _Message | None = None) -> None:
        everything = np.empty(sum(block.nbytes for block in blocks), dtype=np.uint8)
        self._plain.replace(everything, self._swap(sent, source, everything.nbytes))
        begin = 0
        for block in blocks:
            block[:] = everything[begin : begin + block.nbytes]
            begin += block.nbytes


def _pieces(values: np.ndarray, begins: np.ndarray) -> list[np.ndarray]:
    ends = begins.tolist()
    return [values[begin:end] for begin, end in zip(ends, ends[1:])]
