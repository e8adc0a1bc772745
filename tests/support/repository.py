"""A git repository in a directory of its own, operated by the git program."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree at `root`; the environment is the one of `tests.support.isolation`."""

    root: Path

    def git(self, *arguments: str) -> str:
        """Run git in the work tree; return its output; fail with its error message."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file, its directories included, byte for byte."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def replace(self, path: str, content: str) -> Path:
        """Replace a file in one step, so that no reader sees a part of it."""
        unfinished = self.root.with_name(f"{self.root.name}-unfinished")
        unfinished.write_text(content)
        return unfinished.replace(self.root / path)

    def commit_as(self, author: str) -> str:
        """Commit everything as `author`, at the present time; return the commit's id."""
        with pytest.MonkeyPatch.context() as patch:
            for who in ("AUTHOR", "COMMITTER"):
                patch.setenv(f"GIT_{who}_NAME", author)
                # Other commits have a date that is always the same.
                patch.delenv(f"GIT_{who}_DATE")
            return self.commit()

    def commit(self, message: str = "work") -> str:
        """Commit everything in the work tree and return the commit's id."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD").strip()


def create(root: Path) -> Repository:
    """Make an empty repository at `root`, with its branch `main` unborn."""
    root.mkdir(parents=True, exist_ok=True)
    repository = Repository(root)
    repository.git("init", "--quiet")
    return repository
