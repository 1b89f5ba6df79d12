//! The page as it is served: nothing runs in it but its own script, and it talks to nobody but us.

use super::gate::{Gate, secret};
use serde_json::Value;
use std::io;

/// The page and its content security policy.
pub(super) fn page(data: &Value, gate: &Gate) -> io::Result<(String, String)> {
    let nonce = secret()?;
    // the data hold no `<`: these are the page's own elements
    let html = crate::page::page(data)?
        .replacen("<style>", &format!("<style nonce=\"{nonce}\">"), 1)
        .replacen("<script>", &format!("<script nonce=\"{nonce}\">"), 1);
    let sockets = gate.hosts().map(|host| format!("ws://{host}")).join(" ");
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; img-src data: blob:; connect-src 'self' {sockets}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    Ok((html, policy))
}
