"""Recommending that a long ledger be archived: above a size, and once a week."""

from datetime import timedelta
from pathlib import Path

import pytest

from intent_lsp.core.paths import LEDGER_FILE, LOCAL_ROOM
from intent_lsp.store.ledger.archiving_advice import RECOMMENDED_ABOVE, advice, recommend_archiving
from tests.support.ledgers import START


def test_above_ten_megabytes_it_is_recommended() -> None:
    assert RECOMMENDED_ABOVE == 10_000_000
    assert advice(10_000_000) is None
    assert (advice(12_345_678) or "").startswith(".orchestration/agent_trace.jsonl has 12.3 MB;")


def test_the_log_says_it_once_a_week_over_restarts_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def logged(days: float) -> int:
        caplog.clear()
        recommend_archiving(tmp_path, lambda: START + timedelta(days=days))
        return sum("trace archive" in message for message in caplog.messages)

    assert logged(0) == 0
    (tmp_path / LOCAL_ROOM).mkdir(parents=True)
    with (tmp_path / LEDGER_FILE).open("wb") as file:
        file.truncate(RECOMMENDED_ABOVE + 1)
    assert [logged(day) for day in (0, 1, 6.9, 7.1, 8, 14.2)] == [1, 0, 0, 1, 0, 1]
    # A clock that was set back is no reason to be silent for ever.
    assert [logged(day) for day in (-30, -29, -22.9)] == [1, 0, 1]


def test_without_a_local_room_it_is_said_each_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / LEDGER_FILE).parent.mkdir()
    with (tmp_path / LEDGER_FILE).open("wb") as file:
        file.truncate(RECOMMENDED_ABOVE + 1)
    for _ in range(2):
        recommend_archiving(tmp_path, lambda: START)
    assert len(caplog.messages) == 2
    assert not (tmp_path / LOCAL_ROOM).exists()
