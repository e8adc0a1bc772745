"""A sandbox for real shell commands: a temporary work tree, and the files that a command changed.

The tests of the law in docs/spec/commands.md run generated commands here.
Invariant: a command has no network, its own home and temporary directory, and limits on time and
space; no process that it starts outlives it.
"""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.repository import Repository, create

INTENTS: Final = """\
active_intents:
  - {id: INT-001, name: Ours, status: IN_PROGRESS, owned_scope: ["a/**"]}
"""
_PATCH: Final = """\
--- a/b/three.txt
+++ b/b/three.txt
@@ -1 +1 @@
-three
+patched
"""
_EVIL: Final = """\
#!/bin/sh
[ -z "$COMMANDED" ] || echo evil >> "$TOP/top.txt"
cat
"""
"""Writes only while a command of the sandbox runs: comparing the tree may run filters, too."""

SETTINGS: Final = (
    "",
    "core.pager=sh .git/evil",
    "diff.external=.git/evil",
    "diff.mine.textconv=.git/evil",
    "diff.mine.command=.git/evil",
    "filter.mine.clean=sh .git/evil",
    "core.fsmonitor=.git/evil",
    "alias.evil=!echo x >> top.txt",
    "core.hooksPath=.git/evils",
    "nested: core.fsmonitor=.git/evil",
    "nested: filter.mine.clean=sh .git/evil",
)
"""git settings that run another program; with `nested:` they are those of a submodule only."""
SECONDS: Final = 3.0

_OURS: Final = frozenset(
    {"agent_trace.jsonl", "governance_ledger.md", "intent_map.md", ".local", ".gitignore"}
)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command did: whether it ended in time, and the files that it changed."""

    ended: bool
    changed: frozenset[str]


def make_template(base: Path) -> Path:
    """Make the work tree that is copied for each command."""
    tree = create(base / "template")
    tree.write(".orchestration/active_intents.yaml", INTENTS)
    tree.write(".orchestration/.gitignore", ".local/\n")
    tree.write(".gitignore", "build/\n*.log\n/nested/\n")
    tree.write(".gitattributes", "b/*.txt diff=mine filter=mine\n")
    for path in ("a/one.txt", "a/two words.txt", "a/sub/four.md", "b/three.txt", "top.txt"):
        tree.write(path, f"{Path(path).stem}\n")
    tree.write("b/patch.diff", _PATCH)
    tree.write("b/dirty.txt", "clean\n")
    tree.commit("one")
    tree.write("top.txt", "top\nmore x\n")
    tree.commit("two")
    tree.write("b/dirty.txt", "dirty\n")
    tree.write("build/out.txt", "built\n")
    nested = create(tree.root / "nested")
    nested.write("n.txt", "n\n")
    nested.write(".gitattributes", "*.txt filter=mine\n")
    nested.commit()
    nested.write("n.txt", "m\n")
    for git in (tree.root / ".git", nested.root / ".git"):
        (git / "evil").write_text(_EVIL)
        (git / "evils").mkdir()
        (git / "evils/post-index-change").write_text(_EVIL)
        for script in (git / "evil", git / "evils/post-index-change"):
            script.chmod(0o755)
    return tree.root


def prepare(template: Path, base: Path, setting: str) -> Repository:
    """Copy the template, and configure git in it and in the repository below it."""
    shutil.copytree(template, base, symlinks=True)
    tree, nested = Repository(base), Repository(base / "nested")
    key, _, value = setting.removeprefix("nested: ").partition("=")
    if setting.startswith("nested: "):
        tree.git("add", "--force", "nested")
        nested.git("config", key, value)
    elif setting:
        tree.git("config", key, value)
        nested.git("config", key, value)
    return tree


def run(tree: Repository, command: str, wrapper: Sequence[str], *, terminal: bool) -> CommandResult:
    """Run a command in a tree, and kill whatever it left running.

    `wrapper` is what `process_isolation` yielded; `terminal`: its output is a terminal.
    """
    before = _contents(tree.root)
    home = tree.root.parent / "home"
    home.mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.fspath(home),
        "TMPDIR": os.fspath(home),
        "TOP": os.fspath(tree.root),
        "COMMANDED": "1",
        "FUNCNEST": "20",
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
    }
    limits = ("prlimit", "--as=4000000000", "--cpu=4", "--fsize=50000000", "--nofile=200")
    ours, theirs = os.openpty() if terminal else os.pipe()
    drained = threading.Thread(target=_drain, args=(ours,))
    drained.start()
    process = subprocess.Popen(
        [*wrapper, *limits, "bash", "-c", command],
        cwd=tree.root,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        process.wait(SECONDS)
        ended = True
    except subprocess.TimeoutExpired:
        ended = False
    process.kill()
    process.wait()
    if not wrapper:
        _end(process.pid)
    drained.join()
    now = _contents(tree.root)
    names = before.keys() | now.keys()
    return CommandResult(
        ended, frozenset(name for name in names if before.get(name) != now.get(name))
    )


def _end(group: int) -> None:
    """Kill all processes of a command's session: one in the background could still write."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            stat = (process / "stat").read_text()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[3]) == group:
            try:
                os.kill(int(process.name), signal.SIGKILL)
            except ProcessLookupError:
                continue


def _drain(fd: int) -> None:
    """Read the output until every writer has closed it."""
    try:
        while os.read(fd, 65_536):
            pass
    except OSError:  # How a terminal says that no program has it open.
        pass
    finally:
        os.close(fd)


@contextmanager
def process_isolation() -> Iterator[tuple[str, ...]]:
    """Yield the command prefix that runs a program without a network, in a process namespace.

    When the program ends, the kernel kills what it started. Empty if namespaces are not allowed.
    """
    name = shutil.which("unshare")
    if name is None or subprocess.run([name, "-np", "true"], check=False).returncode != 0:
        yield ()
        return
    # One network namespace for all: making one takes longer than a command.
    with subprocess.Popen(
        [name, "-n", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as cat:
        assert cat.stdin is not None
        assert cat.stdout is not None
        cat.stdin.write(b"ready\n")
        cat.stdin.flush()
        cat.stdout.readline()
        network = ("nsenter", f"--net=/proc/{cat.pid}/ns/net")
        yield (*network, name, "--pid", "--fork", "--kill-child=KILL")


def _contents(root: Path) -> dict[str, bytes]:
    """Return the bytes of every file that an intent can own: not what git ignores.

    A link counts as the file that it leads to, and is left out if that is outside the tree.
    """
    found: dict[str, bytes] = {}
    for directory, folders, here in os.walk(root):
        place, names = Path(directory), here
        at = place.relative_to(root).as_posix()
        if at == ".":
            folders[:] = [each for each in folders if each not in {"build", "nested"}]
        if at == ".git":
            folders[:] = ["hooks"]
            names = []
        if at == ".orchestration":
            folders[:] = []
            names = [name for name in names if name not in _OURS]
        for file in (place / name for name in names if not name.endswith(".log")):
            if file.is_file() and file.resolve().is_relative_to(root):
                found[file.relative_to(root).as_posix()] = file.read_bytes()
    return found
