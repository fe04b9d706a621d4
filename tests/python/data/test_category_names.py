"""Transfer of category names from frames into the library."""

from __future__ import annotations

import gc

import kauriboost as kb
import pandas as pd
import pytest
from kauriboost._data import categories as room


def test_many_names_are_encoded_once_for_frames_of_one_index(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []
    encode = room._encode
    monkeypatch.setattr(room, "_encode", lambda index: encoded.append(len(index)) or encode(index))
    for names in ([f"name {i}" for i in range(400)], [f"größe {i}" for i in range(300)]):
        frame = pd.DataFrame({"x": pd.Categorical(names, categories=names)})
        for rows in (frame, frame.iloc[:1], frame.iloc[7:9]):
            assert kb.DMatrix(rows, enable_categorical=True).get_categories() == {"x": names}
        assert encoded == [len(names)]
        encoded.clear()
        kept = len(room._encoded_names._kept)
        del frame, rows
        gc.collect()
        assert len(room._encoded_names._kept) == kept - 1
