"""The stories of `tests/cases/agents`, asked at every door."""

import pytest

from tests.support.agent_stories import ask
from tests.support.command_line_door import CommandLineAgents
from tests.support.governance_door import agents_at_governance
from tests.support.repository import Repository
from tests.support.server_door import agents_at_the_server
from tests.support.stories import AGENTS_CASES, At, Story, begin, stories_at


def each_story(door: At) -> pytest.MarkDecorator:
    told = stories_at(door, AGENTS_CASES)
    return pytest.mark.parametrize("story", told, ids=lambda story: story.name)


@each_story(At.GOVERNANCE)
async def test_at_governance(story: Story, repository: Repository) -> None:
    with agents_at_governance(begin(repository, story)) as door:
        await ask(story, repository, door)


@pytest.mark.e2e
@each_story(At.SERVER)
async def test_at_the_server(story: Story, repository: Repository) -> None:
    async with agents_at_the_server(begin(repository, story)) as door:
        await ask(story, repository, door)


@each_story(At.COMMAND_LINE)
async def test_at_the_command_line(
    story: Story, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(repository, story)
    await ask(story, repository, CommandLineAgents(repository, capsys))
