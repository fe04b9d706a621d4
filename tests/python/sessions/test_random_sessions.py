"""Random sessions of calls; see random_session.py for the rules checked after each.

KAURI_SESSIONS=100000 runs this number of sessions, for a search of about an hour; a failure prints its seed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from random_session import Session

N_SESSIONS = int(os.environ.get("KAURI_SESSIONS", "80"))
FIRST_SEED = int(os.environ.get("KAURI_FIRST_SESSION", "0"))


def test_sessions_keep_the_rules() -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + N_SESSIONS):
        Session(seed).run(n_calls=12)


def test_a_session_is_made_of_its_seed_alone() -> None:
    sessions = [Session(5), Session(5)]
    for session in sessions:
        session.run(n_calls=12)
    assert sessions[0].calls == sessions[1].calls
    assert sessions[0].state() == sessions[1].state()
