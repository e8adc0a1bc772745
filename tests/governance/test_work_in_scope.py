"""Honest work in scope, done by real tools: none of it is a violation, and all is recorded.

The corpus: package managers, builds, formatters, hooks that reformat, scripts and git.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from intent_lsp.core.gate.request import Allowed
from intent_lsp.core.records import ScopeValidation
from tests.governance.test_calls import Agent
from tests.support import debian, typescript
from tests.support.repository import Repository

INTENTS = """\
active_intents:
  - id: INT-001
    name: Sign-in
    status: IN_PROGRESS
    owned_scope: ["src/auth/**", "package*.json", "Cargo.*"]
"""
IGNORED = "node_modules/\ndist/\nbuild/\ntarget/\n*.log\n"
LOGIN, UGLY = "src/auth/login.py", "src/auth/ugly.py"
HOOK = """\
#!/bin/sh
files=$(git diff --cached --name-only --diff-filter=ACM -- '*.py')
ruff format --quiet $files && git add $files
"""


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work: what stands there before it, the command, and the files that it leaves."""

    command: str
    files: dict[str, str] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    not_committed: dict[str, str] = field(default_factory=dict)


DEPENDENCY = {
    "package.json": '{"name": "app", "version": "1.0.0", "scripts": {"build": "tsc",'
    ' "test": "node --test src"}}\n',
    "vendor/dep/package.json": '{"name": "dep", "version": "1.0.0"}\n',
}
TSCONFIG = '{"compilerOptions": {"outDir": "dist", "types": []}, "include": ["src"]}\n'
CRATE = {
    "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/main.rs": "fn main() {}\n",
}
PATCH = """\
--- a/src/auth/login.py
+++ b/src/auth/login.py
@@ -1,2 +1,2 @@
-one = 1
+ONE = 1
 two = 2
"""

WORKS = {
    "npm install": Work(
        "npm install --offline --no-audit ./vendor/dep",
        DEPENDENCY,
        ("package-lock.json", "package.json"),
    ),
    "npm install by the lock": Work(
        "npm install --offline --no-audit --silent && ls -a",
        DEPENDENCY,
        ("package-lock.json",),
    ),
    "a TypeScript build": Work(
        "npm run build > build.log 2>&1",
        {**DEPENDENCY, "tsconfig.json": TSCONFIG, "src/auth/a.ts": "export const a = 1;\n"},
    ),
    "a build of a library for another": Work(
        "tsc && mkdir -p build && cp dist/a.js build/",
        {"tsconfig.json": TSCONFIG, "src/a.ts": "export const a = 1;\n"},
    ),
    "node's tests": Work("npm test > test.log 2>&1", DEPENDENCY | {"src/a.test.js": "\n"}),
    "a formatter": Work("ruff format src/auth", {UGLY: "x = {  'a':1 }\n"}, (UGLY,)),
    "a linter that fixes": Work(
        "ruff check --quiet --fix --select F src/auth", {UGLY: "import os\nx = 1\n"}, (UGLY,)
    ),
    "a formatter for what is found": Work(
        "find src/auth -name '*.py' | xargs sed -i 's/one/ONE/'", {}, (LOGIN,)
    ),
    "a loop over files": Work(
        'for f in src/auth/*.py; do sed -i s/one/two/ "$f"; done', {}, (LOGIN,)
    ),
    "a commit with a hook that reformats": Work(
        f"git add {UGLY} && git -c core.hooksPath=hooks commit -qm 'Add a file'",
        {"hooks/pre-commit": HOOK},
        (UGLY,),
        {UGLY: "x = {  'a':1 }\n"},
    ),
    "a here-document": Work("cat > src/auth/new.py <<'EOF'\nx = 1\nEOF", {}, ("src/auth/new.py",)),
    "python of a here-document": Work(
        "python3 - <<EOF\nfrom pathlib import Path\n"
        "for name in ('a', 'b'):\n    Path(f'src/auth/{name}.py').write_text('x = 1')\nEOF",
        {},
        ("src/auth/a.py", "src/auth/b.py"),
    ),
    "a generator": Work(
        "python3 tools/gen.py > src/auth/gen.py",
        {"tools/gen.py": "print('x = 1')\n"},
        ("src/auth/gen.py",),
    ),
    "tests that leave caches": Work(
        "python3 -m pytest -q -p no:cacheprovider src; python3 -m compileall -q src",
        {"src/test_x.py": "def test_x():\n    pass\n"},
    ),
    "a temporary file": Work(
        'T=$(mktemp) && sort -r src/auth/login.py > "$T" && cat "$T" > src/auth/login.py',
        {},
        (LOGIN,),
    ),
    "a rename": Work("git mv src/auth/login.py src/auth/sign_in.py", {}, ("src/auth/sign_in.py",)),
    "a patch": Work("patch -s -p1 < fix.patch", {"fix.patch": PATCH}, (LOGIN,)),
    "git apply": Work("git apply fix.patch && git commit -qam x", {"fix.patch": PATCH}, (LOGIN,)),
    "make": Work("make -s", {"Makefile": "all:\n\tmkdir -p build\n\techo x > build/out\n"}),
    "a branch and back": Work("git checkout -qb other && git checkout -q main && git status"),
    "a stash and back": Work(
        "git stash -q && ls && git stash pop -q", not_committed={"docs/note.md": "not yet\n"}
    ),
    "a merge": Work(
        "git checkout -qb side HEAD~1 && git merge -q main && git rebase -q main",
        {"docs/late.md": "late\n"},
    ),
}


@pytest.fixture
def root(repository: Repository) -> Repository:
    repository.write(".orchestration/active_intents.yaml", INTENTS)
    repository.write(".orchestration/.gitignore", ".local/\n")
    repository.write(".gitignore", IGNORED)
    repository.write(LOGIN, "one = 1\ntwo = 2\n")
    repository.write("docs/note.md", "note\n")
    repository.commit()
    return repository


def does(root: Repository, work: Work) -> tuple[set[str], set[ScopeValidation]]:
    """Have an agent do a piece of work, and give what is recorded, with which verdicts."""
    for path, text in work.files.items():
        root.write(path, text).chmod(0o755)
    root.commit()
    for path, text in work.not_committed.items():
        root.write(path, text)

    agent = Agent(root, "builder", "INT-001")
    admission = agent.asks(tool="Bash", command=work.command)
    assert isinstance(admission.decision, Allowed), admission
    assert admission.ticket is not None
    path = os.pathsep.join([*_bins(), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", work.command],
        cwd=root.root,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = agent.governance.calls.record(admission.ticket.id)
    agent.governance.close(None)
    assert outcome is not None
    assert agent.governance.violations.of(outcome) == ()
    records = [each for each in (outcome.record, *outcome.beside) if each is not None]
    files = {file.relative_path for record in records for file in record.files}
    return files, {record.scope_validation for record in records}


def _bins() -> tuple[str, str]:
    """Give the directories of the tools that are not the system's."""
    return os.fspath(Path(sys.executable).parent), os.fspath(typescript.installed())


@pytest.mark.parametrize("name", WORKS)
def test_honest_work_is_recorded_and_no_violation(root: Repository, name: str) -> None:
    work = WORKS[name]
    files, verdicts = does(root, work)
    owned = {path for path in files if not path.endswith(".pyc")}
    assert (name, owned) == (name, set(work.changed))
    assert ScopeValidation.FAIL not in verdicts


@pytest.mark.slow
def test_a_build_of_rust_is_no_violation(root: Repository) -> None:
    if shutil.which("cargo") is None and not debian.install("cargo"):
        pytest.skip("there is no cargo here, and it cannot be installed")
    files, verdicts = does(root, Work("cargo build --offline --quiet", CRATE))
    assert (files, verdicts) == ({"Cargo.lock"}, {ScopeValidation.PASS})
