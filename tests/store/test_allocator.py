"""The C library's memory: what one thread gives back, the next one takes."""

import ctypes
import subprocess
import sys

import pytest

from intent_lsp.store.malloc import share_memory

pytestmark = pytest.mark.e2e

# One after the other, all of them alive: each keeps a little of much.
WORK = """
import sys, threading
from intent_lsp.store.malloc import share_memory
if sys.argv[1] == "shared":
    share_memory()
kept, turn, over = [], threading.Lock(), threading.Barrier(5)
def work():
    with turn:
        kept.append([bytes(700) for _ in range(30_000)][::50])
    over.wait()
    over.wait()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
over.wait()
print(int(open("/proc/self/statm").read().split()[1]) * 4096)
over.wait()
for thread in threads: thread.join()
"""


def resident(how: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", WORK, how], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="this is not glibc")
def test_threads_do_not_keep_what_each_of_them_took() -> None:
    assert 2 * resident("shared") < resident("each for itself")


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        """It has no such option."""

    monkeypatch.setattr(ctypes, "CDLL", lambda _: Other())
    share_memory()
