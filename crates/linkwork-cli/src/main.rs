//! The command `linkwork`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(linkwork_cli::main(std::env::args_os()))
}
