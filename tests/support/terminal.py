"""A terminal that a test types into and reads: tmux, without a person.

Nothing here sleeps: the screen is read again whenever the program has written to it.
"""

import os
import select
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.debian import install
from tests.support.programs import cannot_be_had

_PATIENCE = 60.0
"""Seconds after which waiting fails."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """One program in one window; the process `news` prints whenever the program writes."""

    tmux: Sequence[str]
    news: subprocess.Popen[bytes]

    def press(self, *keys: str) -> None:
        """Press keys by their names: `Escape`, `Enter`, `Space`, a letter."""
        self._ask("send-keys", "-t", "0", *keys)

    def type(self, text: str) -> None:
        """Type a text, and nothing more."""
        self._ask("send-keys", "-t", "0", "-l", text)

    def screen(self) -> str:
        """Return the text on the screen."""
        return self._ask("capture-pane", "-p", "-t", "0")

    def sees(self, text: str) -> str:
        """Wait until the screen shows a text; return the whole screen."""
        return self.until(lambda screen: text in screen, text)

    def until(self, done: Callable[[str], bool], what: str) -> str:
        """Wait until `done` is true of the screen; return it. `what` is for the failure."""
        deadline = time.monotonic() + _PATIENCE
        while not done(screen := self.screen()):
            if not self._wait(deadline):
                pytest.fail(f"never seen: {what}\n{screen}", pytrace=False)
        return screen

    def ends(self) -> None:
        """Wait until the program has ended, and its window with it."""
        deadline = time.monotonic() + _PATIENCE
        while self._wait(deadline):
            pass
        if self.news.poll() is None:
            pytest.fail(f"still there\n{self.screen()}", pytrace=False)

    def _wait(self, deadline: float) -> bool:
        """Wait until the program writes; return False if it ended, or wrote nothing in time."""
        left = max(0.0, deadline - time.monotonic())
        assert self.news.stdout is not None
        ready, _, _ = select.select([self.news.stdout], [], [], left)
        if ready and os.read(self.news.stdout.fileno(), 1 << 16):
            return True
        if ready:
            self.news.wait(_PATIENCE)
        return False

    def _ask(self, *words: str) -> str:
        done = subprocess.run([*self.tmux, *words], capture_output=True, text=True, check=False)
        return done.stdout


@contextmanager
def terminal(
    command: Sequence[str | Path], directory: Path, environment: Mapping[str, str]
) -> Iterator[Terminal]:
    """Run a program in a terminal of 110 columns and 30 lines, and end it."""
    found = _program()
    tmux = [found, "-f", "/dev/null", "-S", str(directory.parent / "tmux")]
    size = ["-x", "110", "-y", "30", "-c", str(directory)]
    with subprocess.Popen(
        # In control mode tmux tells of all that is written, and ends with its last window.
        [*tmux, "-C", "new-session", *size, shlex.join(map(str, command))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"} | dict(environment),
    ) as news:
        try:
            yield Terminal(tmux, news)
        finally:
            subprocess.run([*tmux, "kill-server"], capture_output=True, check=False)
            news.kill()


def _program() -> str:
    """Return tmux, installed if need be; without it skip the test, or fail it in CI."""
    if shutil.which("tmux") is None:
        install("tmux")
    found = shutil.which("tmux")
    if found is not None:
        return found
    reason = "no tmux (Debian: apt-get install tmux)"
    return cannot_be_had(reason)
