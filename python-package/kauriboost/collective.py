"""Training one model with many processes or threads."""

from __future__ import annotations

from ._binding.errors import CollectiveError
from ._collective.collective import Collective, rows_in_order_of_ranks
from ._collective.mpi import MpiCollective
from ._collective.threads import thread_group

__all__ = ["Collective", "CollectiveError", "MpiCollective", "rows_in_order_of_ranks", "thread_group"]
