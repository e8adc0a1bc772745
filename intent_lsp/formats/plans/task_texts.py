"""The texts of tasks: of each item with a checkbox, and of what is nested below it."""

from collections.abc import Iterator

from intent_lsp.formats.plans.markdown_blocks import BlockKind, MarkdownBlock, MarkdownText


def task_texts(text: MarkdownText) -> Iterator[str]:
    """Yield the texts of the items with a checkbox and of the blocks that are nested below them."""
    for block, _ in nested_below_tasks(text):
        yield block.text


def nested_below_tasks(text: MarkdownText) -> Iterator[tuple[MarkdownBlock, MarkdownBlock]]:
    """Yield each block that is a task or is nested below one, with the outermost task above it.

    A heading, or a block that is indented no further than the task, ends what is nested below it.
    """
    task: MarkdownBlock | None = None
    for block in text.blocks:
        if block.kind is BlockKind.HEADING or (task is not None and block.depth <= task.depth):
            task = None
        if task is None and block.mark is not None:
            task = block
        if task is not None:
            yield block, task
