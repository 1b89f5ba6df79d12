//! Names in the faults of a model: as parts of paths, and the ones that were meant.

use std::borrow::Cow;

/// A name may have this many characters.
pub const MAX_NAME_LENGTH: usize = 100;

/// A name as a part of a path: bare where the model file could have it bare, else quoted. Of a name that
/// is too long to be one, only the beginning: paths are kept for every item.
pub(crate) fn segment(name: &str) -> Cow<'_, str> {
    if let Some((cut, _)) = name.char_indices().nth(MAX_NAME_LENGTH) {
        return format!("{:?}", format!("{}…", &name[..cut])).into();
    }
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !name.is_empty() && name.chars().all(bare) {
        true => name.into(),
        false => format!("{name:?}").into(),
    }
}

/// The known name that a misspelled one must have meant, if any.
pub(crate) fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 4 * MAX_NAME_LENGTH {
        return None; // no name is that long, and the comparison takes the square of it
    }
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let known: Vec<&str> = known.into_iter().collect();
    // one body, two bodies
    let plurals = [format!("{name}s"), format!("{name}es"), format!("{}ies", name.trim_end_matches('y'))];
    if let Some(candidate) =
        known.iter().find(|known| letters > 1 && plurals.iter().any(|plural| plural == *known))
    {
        return Some(candidate);
    }
    alike(&name, letters, known)
}

/// The nearest name, if few letters differ.
#[cfg(feature = "file")]
fn alike<'a>(name: &str, letters: usize, known: Vec<&'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= 8)
        .map(|candidate| (strsim::damerau_levenshtein(&candidate.to_lowercase(), name), candidate))
        // a third of the letters may differ, one at least, but never all of them
        .filter(|(distance, candidate)| {
            *distance <= (letters / 3).max(1) && *distance < candidate.chars().count()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The name that differs in capitals only: distances between words come with the feature `file`.
#[cfg(not(feature = "file"))]
fn alike<'a>(name: &str, _letters: usize, known: Vec<&'a str>) -> Option<&'a str> {
    known.into_iter().find(|candidate| candidate.to_lowercase() == name)
}

/// Advice that names the nearest known name, or the known names if none is near and they are few.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    /// Longer lists of names are left out of the advice.
    const FEW: usize = 12;
    let known: Vec<&str> = known.into_iter().collect();
    match closest(name, known.iter().copied()) {
        Some(candidate) => Some(format!("did you mean `{candidate}`?")),
        None if known.is_empty() || known.len() > FEW => None,
        None => Some(format!("known here: {}", known.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_nearest_name() {
        assert_eq!(nearest("densty", ["mass", "density"]).unwrap(), "did you mean `density`?");
        assert_eq!(nearest("colour", ["mass", "density"]).unwrap(), "known here: mass, density");
        assert_eq!(nearest("a", ["A", "B"]).unwrap(), "did you mean `A`?");
        assert_eq!(nearest("X", ["A", "B"]).unwrap(), "known here: A, B");
        assert_eq!(nearest("x", []), None);
    }
}
