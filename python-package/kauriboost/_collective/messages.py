"""Collective calls made of messages from rank to rank.

Short arrays go by recursive doubling: in the k-th step a rank swaps all that it knows with the one whose number differs
in the k-th bit, so after log2(n) steps each knows everything. Ranks beyond the largest power of two hand theirs to a
partner before and hear the outcome after. Long arrays go round a ring in pieces, one for each rank: n - 1 steps add a
piece up, n - 1 more tell all; every rank sends and receives about twice the array, however many ranks there are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._binding.errors import CollectiveError
from .collective import Collective

SHORT_BYTES = 1 << 16  # of an array that goes by doubling

_LAST_STEP = 1000  # what a rank beyond the power of two hears; it has not counted the steps between

_Combine = Callable[..., Any]  # np.add or np.maximum


class Header(NamedTuple):
    """What a message belongs to; both sides compare it, so that ranks that have lost step notice."""

    epoch: int
    sequence: int  # of the collective call in the group
    operation: str
    step: int
    n_bytes: int

    def __str__(self) -> str:
        return f"call {self.sequence} ({self.operation}, step {self.step}, {self.n_bytes} bytes, epoch {self.epoch})"


class Outgoing(NamedTuple):
    """A message to a rank."""

    to: int
    header: Header
    payload: np.ndarray  # uint8; it may change as soon as the call that sends it has returned


class Awaited(NamedTuple):
    """The message that a rank is expected to send."""

    source: int
    header: Header


def require_same(expected: Header, received: Header, rank: str, sender: str) -> None:
    """Raise CollectiveError, which names both sides, unless a message is the one that is waited for."""
    if expected != received:
        raise CollectiveError(
            f"{rank} is at {expected}, {sender} at {received}: the ranks have lost step. All must make the same calls "
            "with the same parameters and versions of kauriboost."
        )


class MessageCollective(Collective):
    """A group whose ranks send each other messages; a subclass knows how.

    Parameters
    ----------
    rank, size
        As in `Collective`.
    epoch
        Which attempt of the group it is: messages of another one are refused.
    """

    def __init__(self, rank: int, size: int, epoch: int = 0) -> None:
        self.rank, self.size, self.epoch = rank, size, epoch
        self.bytes_sent = 0
        self._sequence = 0
        self._step = 0
        self._operation = ""
        self._core = 1 << (size.bit_length() - 1)  # the largest power of two that is not above

    @abstractmethod
    def swap(self, outgoing: Outgoing | None, awaited: Awaited | None) -> np.ndarray:
        """Send a message, and receive one at the same time; either may be None.

        Returns
        -------
        numpy.ndarray
            The bytes that were received, uint8, valid until the next call; none where none are awaited.
        """

    # ---- the calls ----

    def sum(self, values: np.ndarray) -> None:
        """As in `Collective`."""
        self._begin("sum")
        self._reduce(values, np.add)

    def max(self, values: np.ndarray) -> None:
        """As in `Collective`."""
        self._begin("max")
        self._reduce(values, np.maximum)

    def gather(self, mine: np.ndarray, sizes: np.ndarray, everything: np.ndarray) -> None:
        """As in `Collective`."""
        self._begin("gather")
        ends = np.cumsum(sizes, dtype=np.int64)
        blocks = [everything[end - size : end] for end, size in zip(ends.tolist(), sizes.tolist())]
        blocks[self.rank][:] = mine
        if everything.nbytes <= SHORT_BYTES:
            self._gather_by_doubling(blocks)
        else:
            self._hand_round(blocks, self.rank)

    # ---- one message ----

    def _begin(self, operation: str) -> None:
        self._sequence += 1
        self._step = 0
        self._operation = operation

    def _swap(self, to: int | None, sent: np.ndarray | None, source: int | None, n_bytes: int) -> np.ndarray:
        """Send numbers, and receive `n_bytes` of them."""
        header = Header(self.epoch, self._sequence, self._operation, self._step, n_bytes)
        self._step += 1
        outgoing = None
        if to is not None and sent is not None:
            outgoing = Outgoing(to, header._replace(n_bytes=sent.nbytes), sent.view(np.uint8))
            self.bytes_sent += sent.nbytes
        return self.swap(outgoing, None if source is None else Awaited(source, header))

    def _send(self, to: int, values: np.ndarray) -> None:
        self._swap(to, values, None, 0)

    def _receive(self, source: int, like: np.ndarray) -> np.ndarray:
        return self._swap(None, None, source, like.nbytes).view(like.dtype)

    # ---- sums and maxima ----

    def _reduce(self, values: np.ndarray, combine: _Combine) -> None:
        if values.nbytes <= SHORT_BYTES or len(values) < self.size:
            self._reduce_by_doubling(values, combine)
        else:
            self._reduce_round(values, combine)

    def _reduce_by_doubling(self, values: np.ndarray, combine: _Combine) -> None:
        partner = self.rank ^ self._core
        if self.rank >= self._core:
            self._send(partner, values)
            self._step = _LAST_STEP
            values[:] = self._receive(partner, values)
            return
        has_partner = partner < self.size
        if has_partner:
            combine(values, self._receive(partner, values), out=values)
        for bit in self._bits():
            other = self.rank ^ bit
            received = self._swap(other, values, other, values.nbytes)
            combine(values, received.view(values.dtype), out=values)
        if has_partner:
            self._step = _LAST_STEP
            self._send(partner, values)

    def _bits(self) -> list[int]:
        self._step = 1  # also where there is no partner
        return [1 << k for k in range(self._core.bit_length() - 1)]

    def _reduce_round(self, values: np.ndarray, combine: _Combine) -> None:
        pieces = np.array_split(values, self.size)
        for step in range(self.size - 1):
            sent = pieces[(self.rank - step) % self.size]
            mine = pieces[(self.rank - step - 1) % self.size]
            combine(mine, self._pass_on(sent, mine), out=mine)
        self._hand_round(pieces, (self.rank + 1) % self.size)

    def _hand_round(self, pieces: list[np.ndarray], first: int) -> None:
        """Tell all ranks the piece that each knows, of which `first` is this one's."""
        for step in range(self.size - 1):
            sent = pieces[(first - step) % self.size]
            next_piece = pieces[(first - step - 1) % self.size]
            next_piece[:] = self._pass_on(sent, next_piece)

    def _pass_on(self, sent: np.ndarray, like: np.ndarray) -> np.ndarray:
        right, left = (self.rank + 1) % self.size, (self.rank - 1) % self.size
        return self._swap(right, sent, left, like.nbytes).view(like.dtype)

    # ---- short gathers ----

    def _gather_by_doubling(self, blocks: list[np.ndarray]) -> None:
        partner = self.rank ^ self._core
        if self.rank >= self._core:
            self._send(partner, blocks[self.rank])
            self._step = _LAST_STEP
            self._take(partner, [block for i, block in enumerate(blocks) if i != self.rank])
            return
        has_partner = partner < self.size
        if has_partner:
            self._take(partner, [blocks[partner]])
        for bit in self._bits():
            other = self.rank ^ bit
            theirs = [blocks[i] for i in self._known(other, bit)]
            known = np.concatenate([blocks[i] for i in self._known(self.rank, bit)])
            _split(self._swap(other, known, other, sum(block.nbytes for block in theirs)), theirs)
        if has_partner:
            self._step = _LAST_STEP
            self._send(partner, np.concatenate([block for i, block in enumerate(blocks) if i != partner]))

    def _known(self, rank: int, bit: int) -> list[int]:
        """Return whose blocks a rank has before the step of `bit`: its neighbours', and those of their partners."""
        begin = rank & ~(bit - 1)
        near = range(begin, begin + bit)
        return [*near, *(i + self._core for i in near if i + self._core < self.size)]

    def _take(self, source: int, blocks: list[np.ndarray]) -> None:
        _split(self._swap(None, None, source, sum(block.nbytes for block in blocks)), blocks)


def _split(received: np.ndarray, blocks: list[np.ndarray]) -> None:
    begin = 0
    for block in blocks:
        block[:] = received[begin : begin + block.nbytes]
        begin += block.nbytes
