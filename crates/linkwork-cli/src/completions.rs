//! `linkwork completions`.

use crate::Outcome;
use crate::output::print_text;
use clap::Args;
use clap_complete::Shell;

#[derive(Args)]
#[command(
    after_help = "Where it goes: bash ~/.local/share/bash-completion/completions/linkwork, zsh a file _linkwork in a folder of $fpath,\n\
    fish ~/.config/fish/completions/linkwork.fish, PowerShell a line in $PROFILE.\n\
    Example: linkwork completions bash > ~/.local/share/bash-completion/completions/linkwork"
)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

pub fn completions(args: &CompletionsArguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::description(), "linkwork", &mut script);
    print_text(&String::from_utf8_lossy(&script));
    Outcome::Good
}
