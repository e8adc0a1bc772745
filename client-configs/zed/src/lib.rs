//! The Zed extension: starts the program that is on the path of the worktree's shell.

use zed_extension_api::{
    register_extension, Command, Extension, LanguageServerId, Result, Worktree,
};

struct IntentLsp;

impl Extension for IntentLsp {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        _server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let command = worktree
            .which("intent-lsp")
            .ok_or("intent-lsp is not on the path: `intent-lsp --version` must run in a shell")?;
        Ok(Command {
            command,
            args: vec!["serve".into()],
            env: worktree.shell_env(),
        })
    }
}

register_extension!(IntentLsp);
