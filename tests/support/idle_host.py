"""A program with the name of an agent host that runs in a directory and does nothing by itself."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_SCRIPT: Final = """\
import sys
print("ready", flush=True)
for line in sys.stdin:
    path, _, text = line.rstrip("\\n").partition("=")
    with open(path, "a", encoding="utf-8") as file:
        file.write(text + "\\n")
    print("done", flush=True)
"""


class IdleHost:
    """A running program that writes what it is told, and asks nobody."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def append(self, path: str, line: str) -> None:
        """Append a line to a file, relative to the program's directory."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{path}={line}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"


@contextmanager
def idle_host(name: str, programs: Path, directory: Path) -> Iterator[IdleHost]:
    """Run a program `name`, made in the directory `programs`, in `directory`."""
    programs.mkdir(parents=True, exist_ok=True)
    program = programs / name
    program.write_text(f"#!{sys.executable} -S\n{_SCRIPT}", encoding="utf-8")
    program.chmod(0o755)
    with subprocess.Popen(
        [os.fspath(program)],
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield IdleHost(process)
        finally:
            process.kill()
