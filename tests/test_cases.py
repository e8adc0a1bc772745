"""The stories of `tests/cases`, asked at every door."""

import pytest

from tests.support.command_line_door import person_at_the_command_line
from tests.support.governance_door import person_at_governance
from tests.support.person_stories import run_story
from tests.support.repository import Repository
from tests.support.server_door import person_at_the_server
from tests.support.stories import At, Story, begin, stories_at


def each_story(door: At) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("story", stories_at(door), ids=lambda story: story.name)


@each_story(At.GOVERNANCE)
async def test_at_governance(story: Story, repository: Repository) -> None:
    begin(repository, story)
    with person_at_governance(repository, story) as door:
        await run_story(story, repository, door)


@pytest.mark.e2e
@each_story(At.SERVER)
async def test_at_the_server(story: Story, repository: Repository) -> None:
    begin(repository, story)
    async with person_at_the_server(repository, story) as door:
        await run_story(story, repository, door)


@each_story(At.COMMAND_LINE)
async def test_at_the_command_line(
    story: Story, repository: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    begin(repository, story)
    with person_at_the_command_line(repository, story, capsys) as door:
        await run_story(story, repository, door)
