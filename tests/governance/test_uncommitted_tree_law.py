"""Whatever happens to a young work tree: others' changes have one record each, git's have none."""

import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from intent_lsp.core.content import ContentHash, hash_if_there
from intent_lsp.core.paths import INTENTS_FILE
from tests.governance.editor import INTENTS, Editor
from tests.governance.watcher import Watcher
from tests.support.repository import create

NAMES = ("a.py", "b/c.py", "src/auth/d.py")
PATHS = st.sampled_from(NAMES)


class Followed(RuleBasedStateMachine):
    """A young work tree, the server that follows it, and what the server should know."""

    def __init__(self) -> None:
        super().__init__()
        self.room = tempfile.TemporaryDirectory()
        self.count = 0
        self.repository = create(Path(self.room.name) / "young")
        self.known: dict[str, ContentHash | None] = {}
        self.left: dict[str, ContentHash | None] = {}

    @initialize()
    def begin(self) -> None:
        self.repository.write(INTENTS_FILE, INTENTS)
        self.repository.write(".orchestration/.gitignore", ".local/\n")
        self.repository.write(NAMES[0], "first\n")
        self.start()

    def start(self) -> None:
        self.editor = Editor.open(self.repository.root)
        self.watcher = Watcher(self.editor.governance, self.editor.session)
        self.known = self.held()

    @rule(path=PATHS)
    def another_program_writes(self, path: str) -> None:
        self.count += 1
        self.repository.write(path, f"{self.count}\n")

    @rule(path=PATHS)
    def another_program_deletes(self, path: str) -> None:
        (self.repository.root / path).unlink(missing_ok=True)

    @rule()
    def the_server_looks(self) -> None:
        self.watcher.changes.look()

    @rule()
    def the_server_records(self) -> None:
        now = self.held()
        changed = sorted(
            (path, now[path])
            for path in NAMES
            # What the newest record has left is recorded, whatever was there meanwhile.
            if now[path] not in (self.known[path], self.left.get(path, self.known[path]))
        )
        files = [file for record in self.watcher.recorded() for file in record.files]
        assert [(file.path, file.post_hash) for file in files] == changed
        assert [file.pre_hash for file in files] == [self.known[path] for path, _ in changed]
        self.known = now
        self.left.update(changed)
        # Once more, at a later time: now there is nothing to tell.
        self.watcher.at = datetime.now(UTC)
        assert self.watcher.recorded() == []

    @rule()
    def git_adds(self) -> None:
        self.git_does("add", "--all")

    @rule()
    def git_commits(self) -> None:
        self.git_does("add", "--all")
        self.git_does("commit", "--quiet", "--allow-empty", "-m", "work")

    @rule()
    def git_forgets_what_was_added(self) -> None:
        born = self.is_born()
        self.git_does(*(("reset", "-q") if born else ("rm", "-rq", "--cached", ".")))

    @rule(path=PATHS)
    def somebody_has_git_remove(self, path: str) -> None:
        self.git("rm", "-fq", "--ignore-unmatch", path)

    @rule()
    def somebody_has_git_add(self) -> None:
        self.git("add", "--all")

    @precondition(lambda self: self.is_born())
    @rule()
    def head_is_unborn_again(self) -> None:
        self.count += 1
        self.git_does("checkout", "--quiet", "--orphan", f"branch{self.count}")

    @precondition(lambda self: self.is_born())
    @rule()
    def git_forgets_its_commits(self) -> None:
        self.git_does("update-ref", "-d", "HEAD")

    @precondition(lambda self: self.is_born())
    @rule()
    def git_takes_everything_back(self) -> None:
        self.git_does("reset", "--quiet", "--hard")
        self.repository.write(INTENTS_FILE, INTENTS)
        self.watcher.recorded()
        self.known = self.held()

    @rule(path=PATHS)
    def the_server_is_away_meanwhile(self, path: str) -> None:
        self.the_server_records()
        self.editor.close()
        self.another_program_writes(path)
        self.start()
        self.the_server_records()

    def git_does(self, *arguments: str) -> None:
        self.the_server_records()
        self.git(*arguments)
        self.known = self.held()
        self.the_server_records()

    def is_born(self) -> bool:
        return self.git("rev-parse", "--quiet", "--verify", "HEAD") == 0

    def git(self, *arguments: str) -> int:
        root = self.repository.root
        return subprocess.run(
            ["git", *arguments], cwd=root, check=False, capture_output=True
        ).returncode

    def held(self) -> dict[str, ContentHash | None]:
        places = {path: self.repository.root / path for path in NAMES}
        return {
            path: hash_if_there(place.read_bytes() if place.exists() else None)
            for path, place in places.items()
        }

    def teardown(self) -> None:
        self.editor.close()
        self.room.cleanup()


TestFollowed = Followed.TestCase
TestFollowed.settings = settings(
    max_examples=15,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_what_was_made_anew_after_git_let_go_of_it_and_is_deleted_is_recorded() -> None:
    """Found by the law: git lacks the file already, so that it is not git that takes it away."""
    state = Followed()
    try:
        state.begin()
        state.git_commits()
        state.another_program_deletes(path="a.py")
        state.git_adds()
        state.another_program_writes(path="a.py")
        state.the_server_records()
        state.another_program_deletes(path="a.py")
        state.the_server_records()
        state.git_adds()
    finally:
        state.teardown()
