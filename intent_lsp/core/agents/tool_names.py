"""The tools known by name: those that edit, those that run commands, those that only read.

Invariant: every name also stands in docs/tools.md, and no other does; `*` stands for any run of
characters (requirements section 6).
"""

from typing import Final

EDIT_TOOLS: Final = (
    "write_to_file",
    "write_file",
    "create_file",
    "apply_diff",
    "apply_patch",
    "edit",
    "edit_file",
    "multi_edit",
    "replace_in_file",
    "replace_string_in_file",
    "multi_replace_string_in_file",
    "insert_edit_into_file",
    "str_replace",
    "search_replace",
    "search_and_replace",
    "insert_content",
    "insert_code_block",
    "delete_file",
    "rename_file",
    "move_file",
    "generate_image",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "Create",
    "ApplyPatch",
    "StrReplace",
    "Delete",
    "replace",
    "editor",
    "fs_write",
    "code_action",
    "undo_edit",
    "RenameSymbol",
    "DeleteSymbol",
    "editFiles",
    "TabWrite",
)

COMMAND_TOOLS: Final = (
    "execute_command",
    "Bash",
    "shell",
    "run_in_terminal",
    "run_shell_command",
    "PowerShell",
    "Monitor",
    "Execute",
    "exec",
    "exec_command",
    "shell_command",
    "local_shell_call",
    "terminal",
    "run_command",
    "run_commands",
    "run_terminal_command",
    "execute_bash",
    "multi_tool_use.parallel",
)

OTHER_SHELLS: Final = ("PowerShell",)
"""Tools whose commands are for another shell than `bash`: their text is not read."""

READ_ONLY_TOOLS: Final = (
    "read*",
    "view*",
    "list*",
    "get*",
    "find*",
    "search_files",
    "search_codebase",
    "grep*",
    "glob*",
    "cat",
    "show*",
    "fetch*",
    "NotebookRead",
    "TodoWrite",
    "Task",
    "WebFetch",
    "WebSearch",
    "LS",
    "browser_action",
    "select_active_intent",
    "ask_followup_question",
    "attempt_completion",
    "list_code_definition_names",
)
