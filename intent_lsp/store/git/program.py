"""The git program, run as a child process with a time limit or streamed output.

Invariant: git takes no lock that a person's git would wait for, prompts nobody and fetches nothing.
Invariant: no hook and no file-system monitor that the repository configures is run.
Invariant: `run_git` logs a failure and returns None; it does not raise.
"""

import errno
import logging
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, Final, cast

_log = logging.getLogger(__name__)

TIMEOUT_SECONDS = 30.0

_PIECE = 256 * 1024

# Git sets these for its hooks. Inherited, they would point our git at another repository.
_ELSEWHERE = frozenset(
    (
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
    )
)
# Without these, comparing a tree could run programs that the repository configures.
_HARMLESS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_QUIET: Final = {
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def run_git(
    directory: Path,
    *arguments: str,
    given: bytes = b"",
    timeout: float = TIMEOUT_SECONDS,
    place: Mapping[str, str] = MappingProxyType({}),
) -> bytes | None:
    """Run git in `directory` and return its standard output, or None if it fails or takes too long.

    `given` is its standard input, and `timeout` is in seconds. `place` holds additional environment
    variables, for example `GIT_DIR` if git must not search for the repository itself.
    """
    try:
        child = _start(directory, arguments, place=place)
    except (OSError, ValueError) as problem:
        _log.warning("%s: git cannot be started: %s", directory, problem)
        return None
    with child:
        try:
            printed, complaint = child.communicate(given, timeout=timeout)
        except subprocess.TimeoutExpired:
            _kill(child)
            _log.warning("%s: git %s took too long", directory, arguments[0])
            return None
    if child.returncode == 0:
        return printed
    _log.info("%s: git %s: %s", directory, arguments[0], complaint.decode("utf-8", "replace"))
    return None


def stream_git(directory: Path, *arguments: str) -> Iterator[bytes]:
    """Run git in `directory` and yield its output in chunks, as it comes.

    Raise OSError if git cannot be started or fails. Closing the iterator kills git.
    """
    with _start(directory, arguments, complaints=subprocess.DEVNULL) as git:
        ended = False
        try:
            printed = cast("IO[bytes]", git.stdout)
            while piece := printed.read(_PIECE):
                yield piece
            ended = True
        finally:
            if not ended:
                _kill(git)
    if git.returncode:
        raise ChildProcessError(f"git {arguments[0]} failed with exit status {git.returncode}")


def find_git() -> str | None:
    """Return the path of the git program found in PATH, or None if there is none.

    Relative entries of PATH are skipped, because anybody may have put a program called git into the
    working directory.
    """
    absolute = filter(os.path.isabs, os.get_exec_path())
    return shutil.which("git", path=os.pathsep.join(absolute))


def _start(
    directory: Path,
    arguments: Sequence[str],
    complaints: int = subprocess.PIPE,
    place: Mapping[str, str] = MappingProxyType({}),
) -> subprocess.Popen[bytes]:
    """Start git in `directory` with pipes to its input and from its output, and return the process.

    `complaints` is the `stderr` argument of `subprocess.Popen`; `place` holds additional
    environment variables. Raise OSError, or ValueError for an argument with a null character.
    """
    program = find_git()
    if program is None:
        raise FileNotFoundError(errno.ENOENT, "the git program is not in PATH; install git")
    kept = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return subprocess.Popen(  # noqa: S603 - found in PATH, and no shell reads the arguments
        [program, *_HARMLESS, *arguments],
        cwd=directory,
        env={**kept, **_QUIET, **place},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=complaints,
        # Git gets its own process group, so that its filters can be killed with it.
        start_new_session=True,
    )


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill git and the filter programs that it started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        child.kill()
