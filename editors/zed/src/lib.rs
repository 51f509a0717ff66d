// Starts `shapelint lsp` of the PATH that Zed sees in the project, or what Zed's settings name:
//   { "lsp": { "shapelint": { "binary": { "path": "/opt/bin/shapelint", "arguments": ["lsp", "--gpu", "h100"] } } } }
use zed_extension_api::{
    self as zed, settings::LspSettings, Command, LanguageServerId, Result, Worktree,
};

struct Shapelint;

impl zed::Extension for Shapelint {
    fn new() -> Self {
        Shapelint
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let (path, arguments) = binary.map_or((None, None), |each| (each.path, each.arguments));
        let command = path
            .or_else(|| worktree.which("shapelint"))
            .ok_or("shapelint is not in the PATH: install the wheel, or name it in lsp.shapelint.binary.path")?;
        Ok(Command {
            command,
            args: arguments.unwrap_or_else(|| vec!["lsp".into()]),
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Shapelint);
