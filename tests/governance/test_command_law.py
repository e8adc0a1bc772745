"""Whatever a real shell does to a file was refused before, or is recorded after."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import getrandbits

import pytest
from hypothesis import event, given, seed, settings
from hypothesis import strategies as st

from intent_lsp.core.gate.request import Allowed
from intent_lsp.core.records import Record, ScopeValidation
from tests.governance.test_calls import Agent
from tests.support.command_sandbox import SETTINGS, make_template, prepare, process_isolation, run
from tests.support.shell_texts import looks, texts

SHARES = 10
"""A law is run in so many shares, side by side: 500 texts in the gate, 20,000 in all by night."""

TEXTS_AT_MOST = 2_000


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Where trees are made, what they are copied from, and what runs a program apart."""

    path: Path
    template: Path
    wrapper: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """How git is configured, and whether there is an intent and a terminal."""

    setting: str
    intent: bool
    terminal: bool


worlds = st.builds(
    World,
    setting=st.sampled_from(SETTINGS),
    intent=st.sampled_from([True, True, True, False]),
    terminal=st.booleans(),
)


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with (
        tempfile.TemporaryDirectory() as directory,
        pytest.MonkeyPatch.context() as patch,
        process_isolation() as wrapper,
    ):
        # Where git's configuration is said to be elsewhere, nothing of git's is exempt.
        patch.delenv("GIT_CONFIG_GLOBAL")
        path = Path(directory)
        yield Sandbox(path, make_template(path), wrapper)


def keeps_the_law(sandbox: Sandbox, text: str, world: World) -> None:
    with tempfile.TemporaryDirectory(dir=sandbox.path) as directory:
        tree = prepare(sandbox.template, Path(directory) / "tree", world.setting)
        agent = Agent(tree, "builder", "INT-001" if world.intent else None)
        try:
            admission = agent.asks(tool="Bash", command=text)
            if not isinstance(admission.decision, Allowed):
                event("refused")
                return
            ran = run(tree, text, sandbox.wrapper, terminal=world.terminal)
            event(f"{'exempt' if admission.ticket is None else 'compared'}, ended: {ran.ended}")
            if admission.ticket is None:
                assert not ran.changed
                return
            outcome = agent.governance.calls.record(admission.ticket.id)
            assert outcome is not None
            records = [each for each in (outcome.record, *outcome.beside) if each is not None]
            told = {path: verdict for record in records for path, verdict in _files(record)}
            assert ran.changed <= told.keys(), (ran.changed, told)
            event(f"changed: {len(ran.changed)}")
            for path in ran.changed:
                owned = world.intent and path.startswith("a/")
                assert owned or told[path] is ScopeValidation.FAIL, (path, told[path])
        finally:
            agent.governance.close(None)


def _files(record: Record) -> Iterator[tuple[str, ScopeValidation]]:
    for file in record.files:
        yield file.relative_path, record.scope_validation
        if file.previous_path is not None:
            yield file.previous_path, record.scope_validation


def law(texts_: st.SearchStrategy[str], sandbox: Sandbox, share: int) -> None:
    """Run a share of a law; each share has texts of its own, in the gate always the same."""
    profile = settings.default
    assert profile is not None

    @seed(share if profile.derandomize else getrandbits(64))
    @settings(max_examples=min(profile.max_examples, TEXTS_AT_MOST), deadline=None)
    @given(texts_, worlds)
    def holds(text: str, world: World) -> None:
        keeps_the_law(sandbox, text, world)

    holds()


@pytest.mark.parametrize("share", range(SHARES))
def test_whatever_a_command_changes_is_refused_or_recorded(sandbox: Sandbox, share: int) -> None:
    """Takes long: each text has a tree of its own, a real shell, and two looks at the tree."""
    law(texts(), sandbox, share)


@pytest.mark.parametrize("share", range(2))
def test_no_exempt_command_changes_a_file(sandbox: Sandbox, share: int) -> None:
    """Takes long as the one above does."""
    law(looks, sandbox, share)
