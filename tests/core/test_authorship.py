"""Whether a commit is an agent's: the names that it carries, and the records of its files."""

import pytest

from intent_lsp.core.check.authorship import agent_evidence, agent_named, agents_of
from intent_lsp.core.check.commit import CommitFacts
from intent_lsp.core.records import EntityType

AI, HUMAN, MIXED, UNKNOWN = (EntityType[name] for name in ("AI", "HUMAN", "MIXED", "UNKNOWN"))
ADA = "Ada <ada@example.org>"


def commit(message: str = "work", author: str = ADA, committer: str = ADA) -> CommitFacts:
    return CommitFacts(
        id="1", parents=(), message=message, author=author, committer=committer, time=0
    )


@pytest.mark.parametrize(
    "author",
    [
        "Claude <noreply@anthropic.com>",
        "copilot-swe-agent[bot] <198982749+Copilot@users.noreply.github.com>",
        "Copilot <175728472+Copilot@users.noreply.github.com>",
        "Cursor Agent <cursoragent@cursor.com>",
        "gemini-cli <218195315+gemini-cli@users.noreply.github.com>",
        "devin-ai-integration[bot] <1+devin-ai-integration[bot]@users.noreply.github.com>",
        "Ada (aider) <ada@example.org>",
        "aider <aider@aider.chat>",
        "Codex <noreply@openai.com>",
        "codex",
    ],
)
def test_an_agents_name_or_address_is_known(author: str) -> None:
    assert agent_named(commit(author=author)) == author
    assert agent_named(commit(committer=author)) == author
    for key in ("Co-authored-by", "Co-Authored-By", "Assisted-by", "Generated-by"):
        assert agent_named(commit(f"work\n\n{key}: {author}\n")) == author


@pytest.mark.parametrize(
    "author",
    [
        ADA,
        "Claude Monet <claude@example.org>",
        "Claude <claude@example.org>",
        "Ada <1+ada@users.noreply.github.com>",
        "dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
        "A <not-noreply@anthropic.com>",
        "",
        "<>",
    ],
)
def test_a_person_or_another_bot_is_no_agent(author: str) -> None:
    assert agent_named(commit(author=author)) is None


def test_further_agents_can_be_named() -> None:
    author = "Robot Seven <seven@example.org>"
    assert agent_named(commit(author=author)) is None
    assert agent_named(commit(author=author), ("robot seven",)) == author
    assert agent_named(commit(author=author), ("SEVEN@example.org",)) == author


def test_a_line_that_only_mentions_a_trailer_is_none() -> None:
    assert agent_named(commit("Drop Co-authored-by: Claude <noreply@anthropic.com>")) is None


def test_records_say_who_made_a_change() -> None:
    assert agents_of([]) is None
    assert agents_of([UNKNOWN]) is None
    assert agents_of([HUMAN, UNKNOWN]) is False
    assert agents_of([HUMAN, AI]) is True
    assert agents_of([MIXED]) is True


def test_own_records_come_before_names_and_names_before_other_records() -> None:
    assert agent_evidence([HUMAN], "Claude", [AI]) is None
    assert agent_evidence([AI], None, []) == "a record of this file names an agent"
    assert agent_evidence([UNKNOWN], "Claude <c>", []) == "the commit names the agent Claude <c>"
    others = agent_evidence([], None, [AI, HUMAN])
    assert others == (
        "no record says who changed this file, and other records of the change name an agent,"
        " so that an agent is assumed"
    )
    assert agent_evidence([], None, [HUMAN]) is None
    assert agent_evidence([], None, []) is None
