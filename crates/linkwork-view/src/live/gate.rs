//! Who may come in: those who know the token, from pages of our own address.
//!
//! Only programs of this machine reach the port, but a browser runs pages of anybody. A foreign page can make it ask any port: so the token is secret and in
//! no page but ours, the host must be the one that we gave out (a foreign name that has been made to lead here is refused), and so must the origin.

use std::fmt::Write;

/// The token and the address that belongs to it.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    token: String,
    port: u16,
}

impl Gate {
    /// With a new token of 128 random bits.
    pub fn new(port: u16) -> std::io::Result<Self> {
        Ok(Gate { token: secret()?, port })
    }

    /// The address for the browser.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// Whether a query has the token. Takes as long for a wrong one as for the right one.
    pub fn knows_token(&self, query: &str) -> bool {
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token=")).unwrap_or("");
        given.len() == self.token.len()
            && given.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
    }

    /// Whether a request means this server.
    pub fn is_host(&self, host: &str) -> bool {
        let [by_number, by_name] = self.hosts();
        // browsers leave port 80 out
        let short = self.port == 80 && (host == "127.0.0.1" || host.eq_ignore_ascii_case("localhost"));
        host == by_number || host.eq_ignore_ascii_case(&by_name) || short
    }

    /// Whether a page of this server asks.
    pub fn is_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_host(host))
    }

    /// The names of this server.
    pub fn hosts(&self) -> [String; 2] {
        [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)]
    }
}

/// 128 random bits, in hex.
pub(super) fn secret() -> std::io::Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_hosts_origins_and_tokens() {
        let gate = Gate::new(4817).unwrap();
        for good in ["127.0.0.1:4817", "localhost:4817", "LOCALHOST:4817"] {
            assert!(gate.is_host(good), "{good}");
            assert!(gate.is_origin(&format!("http://{good}")), "{good}");
        }
        for bad in [
            "",
            "127.0.0.1",
            "localhost",
            "evil.example:4817",
            "127.0.0.1:48170",
            "localhost:4817.evil.example",
        ] {
            assert!(!gate.is_host(bad), "{bad}");
            assert!(!gate.is_origin(&format!("http://{bad}")), "{bad}");
        }
        for bad in ["null", "https://127.0.0.1:4817", "http://127.0.0.1:4817/", "127.0.0.1:4817"] {
            assert!(!gate.is_origin(bad), "{bad}");
        }
        let (_, token) =
            gate.address().split_once("token=").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert_eq!(token.len(), 32);
        assert!(
            gate.knows_token(&format!("token={token}")) && gate.knows_token(&format!("a=b&token={token}"))
        );
        for bad in [
            String::new(),
            "token=".into(),
            format!("token={}", &token[1..]),
            format!("token={token}0"),
            token.clone(),
            format!("Token={token}"),
        ] {
            assert!(!gate.knows_token(&bad), "{bad}");
        }
        assert_ne!(Gate::new(4817).unwrap().token, token, "every viewer has a token of its own");
    }
}
