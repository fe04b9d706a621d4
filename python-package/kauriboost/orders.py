"""Orders of players: a few that represent all."""

from __future__ import annotations

from ._binding.errors import ParameterError
from ._explaining.orders import Orders, sample_orders

__all__ = ["Orders", "ParameterError", "sample_orders"]
