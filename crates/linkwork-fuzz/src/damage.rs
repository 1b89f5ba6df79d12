//! Ways to damage a text or a file, chosen by a generator that a number starts: the same number, the same damage.

/// SplitMix64 (Steele, Lea and Flood 2014): a good spread from any start, and no state beyond one number.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// From a number.
    pub fn new(start: u64) -> Self {
        Random(start.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of so many; 0 of none.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.draw() % n as u64) as usize }
    }

    /// One of a list.
    pub fn of<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        list.get(self.below(list.len()))
    }
}

/// Numbers that are hard on whoever takes them.
const NUMBERS: &[&str] = &[
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "1e-300",
    "1e308",
    "-1e308",
    "1e400",
    "5e-324",
    "nan",
    "inf",
    "-inf",
    "9007199254740993",
    "18446744073709551616",
    "1e9",
    "-1e9",
    "1e25",
    "0.1",
    "1e-9",
    "3.141592653589793",
    "65536",
    "4294967296",
    "1e16",
];

/// Bytes of numbers in files that are no text.
const WORDS: &[u64] = &[
    0,
    1,
    0xff,
    0x7fff_ffff,
    u32::MAX as u64,
    i64::MAX as u64,
    u64::MAX,
    0x7ff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x3ff0_0000_0000_0000,
];

/// Where the runs of digits in a text are.
fn numbers(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (i, byte) in text.iter().enumerate() {
        let of_number = byte.is_ascii_digit() || (*byte == b'.' && start.is_some());
        match (of_number, start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                found.push(from..i);
                start = None;
            }
            _ => {}
        }
    }
    found.extend(start.map(|from| from..text.len()));
    found
}

/// A part of so many bytes, no longer than the most.
fn part(length: usize, most: usize, random: &mut Random) -> std::ops::Range<usize> {
    let from = random.below(length.max(1));
    let to = (from + 1 + random.below(most)).min(length);
    from.min(to)..to
}

/// Damages an input once; `other` is another sound one, `words` mean something to the reader.
pub fn once(input: &mut Vec<u8>, other: &[u8], words: &[&str], random: &mut Random) {
    let length = input.len();
    match random.below(12) {
        0 => {
            if let Some(byte) = input.get_mut(random.below(length)) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            let random_byte = random.draw() as u8;
            if let Some(byte) = input.get_mut(random.below(length)) {
                *byte = random_byte;
            }
        }
        2 => drop(input.drain(part(length, 64, random))),
        3 => {
            let copy = input[part(length, 256, random)].to_vec();
            let at = random.below(length + 1);
            input.splice(at..at, copy);
        }
        4 => {
            let piece = other.get(part(other.len(), 400, random)).unwrap_or_default().to_vec();
            let at = part(length, 100, random);
            input.splice(at, piece);
        }
        5 | 6 => {
            let found = numbers(input);
            if let (Some(place), Some(number)) = (random.of(&found).cloned(), random.of(NUMBERS)) {
                input.splice(place, number.bytes());
            }
        }
        7 => {
            if let Some(word) = random.of(words) {
                let at = random.below(length + 1);
                input.splice(at..at, word.bytes());
            }
        }
        8 => {
            // two lines change places, or one comes twice
            let mut lines: Vec<Vec<u8>> =
                input.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            let (a, b) = (random.below(lines.len()), random.below(lines.len()));
            if !lines.is_empty() {
                if random.below(2) == 0 {
                    lines.swap(a, b);
                } else {
                    lines.insert(b, lines[a].clone());
                }
            }
            *input = lines.concat();
        }
        9 => input.truncate(random.below(length + 1)),
        10 => {
            if let Some(word) = random.of(WORDS) {
                let wide = [1, 2, 4, 8][random.below(4)];
                let at = random.below(length);
                for (place, byte) in input.iter_mut().skip(at).take(wide).zip(word.to_le_bytes()) {
                    *place = byte;
                }
            }
        }
        _ => {
            // one piece many times: deep nesting, long lists
            let piece = input[part(length, 8, random)].to_vec();
            let at = random.below(length + 1);
            input.splice(at..at, piece.repeat(1 + random.below(2000)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published sequence from the start 1234567.
    #[test]
    fn exact_generator() {
        let mut random = Random(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.draw()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn exact_every_kind_of_damage_bears_an_empty_input() {
        for number in 0..2000 {
            let mut random = Random::new(number);
            let mut input = Vec::new();
            for _ in 0..5 {
                once(&mut input, b"", &["a"], &mut random);
            }
            assert!(input.len() < 1 << 20);
        }
    }
}
