"""The clock: moments, and what a thread has worked."""

import threading
import time

from intent_lsp.store.clock import budget, deadline


def test_a_budget_is_of_work_and_not_of_waiting() -> None:
    spent = budget(0.02)
    waited = threading.Event().wait(0.05)
    assert (waited, spent()) == (False, False)


def test_a_budget_ends_with_the_work_of_its_thread() -> None:
    begun = time.thread_time()
    spent = budget(0.02)
    while not spent():
        pass
    assert time.thread_time() - begun >= 0.02


def test_a_deadline_passes_with_the_time() -> None:
    assert deadline(0.0)()
    assert not deadline(3_600.0)()
    passing = deadline(0.02)
    threading.Event().wait(0.05)
    assert passing()
