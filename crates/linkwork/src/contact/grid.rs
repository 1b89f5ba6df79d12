//! Pairs of boxes that overlap, by a grid whose cells suit their widths.
//!
//! A box of width w lies on level l with cells of size 2ˡ, the least that is larger than w, in the cell of its middle. Boxes of levels l ≤ m whose middles are apart by less than 2ᵐ
//! along each axis may overlap: they are in neighbouring cells of level m. Cells are sorted, so that a row of three neighbours is one piece of a list, and along
//! a level the pieces only move forward. The cost is that of sorting, n log n, and of the pairs found, whatever the sizes.
//!
//! Pairs come in no useful order, but in the same one for the same boxes.

use super::nearby::Swept;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    level: i32,
    at: [i32; 3],
    item: u32,
}

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    cells: Vec<Cell>,
    /// Pieces of `cells` on one level.
    levels: Vec<(i32, usize, usize)>,
}

/// Middles are at most this many cells (as power of two) from the origin, so that a cell has a number.
const MOST_CELLS: i32 = 26;
/// Boxes without end are on a level with one cell.
const ENDLESS: i32 = 1023;

/// The least e with |x| < 2ᵉ.
fn exponent(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32 - 1022
}

fn middle(swept: &Swept) -> [f64; 3] {
    std::array::from_fn(|i| 0.5 * (swept.low[i] + swept.high[i]))
}

/// The cell of a place.
fn cell(at: [f64; 3], level: i32) -> [i32; 3] {
    if level >= ENDLESS {
        return [0; 3];
    }
    at.map(|x| (x * f64::from(-level).exp2()).floor() as i32)
}

impl Grid {
    /// Calls `each` with pairs of `items` whose boxes may overlap, each pair once.
    pub fn find(&mut self, items: &[usize], boxes: &[Swept], mut each: impl FnMut(usize, usize)) {
        self.sort(items, boxes);
        for (k, &(level, start, end)) in self.levels.iter().enumerate() {
            self.within([start, end], items, &mut each);
            for &(_, first, last) in &self.levels[..k] {
                self.between([first, last], (level, start, end), items, boxes, &mut each);
            }
        }
    }

    fn sort(&mut self, items: &[usize], boxes: &[Swept]) {
        let far = items.iter().flat_map(|&s| middle(&boxes[s])).filter(|x| x.is_finite());
        let least = exponent(far.fold(0.0, |m, x| f64::max(m, x.abs()))) - MOST_CELLS;
        self.cells.clear();
        self.cells.extend(items.iter().enumerate().map(|(item, &s)| {
            let Swept { low, high, .. } = &boxes[s];
            let width = (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max);
            let at = middle(&boxes[s]);
            let finite = width.is_finite() && at.iter().all(|x| x.is_finite());
            let level = if finite { exponent(width).max(least).clamp(-ENDLESS, ENDLESS) } else { ENDLESS };
            Cell { level, at: cell(at, level), item: item as u32 }
        }));
        self.cells.sort_unstable();
        self.levels.clear();
        for (i, cell) in self.cells.iter().enumerate() {
            match self.levels.last_mut() {
                Some((level, _, end)) if *level == cell.level => *end = i + 1,
                _ => self.levels.push((cell.level, i, i + 1)),
            }
        }
    }

    /// Pairs of one level.
    fn within(&self, [start, end]: [usize; 2], items: &[usize], each: &mut impl FnMut(usize, usize)) {
        /// Rows of neighbours that come after a cell; its own row is looked at from there on.
        const ROWS: [[i32; 2]; 4] = [[0, 1], [1, -1], [1, 0], [1, 1]];
        let mut begins = [start; 4];
        for i in start..end {
            let Cell { at: [x, y, z], item, .. } = self.cells[i];
            let a = items[item as usize];
            let row = self.cells[i + 1..end].iter();
            row.take_while(|c| c.at <= [x, y, z + 1]).for_each(|c| each(a, items[c.item as usize]));
            for ([dx, dy], begin) in ROWS.iter().zip(&mut begins) {
                let (first, last) = ([x + dx, y + dy, z - 1], [x + dx, y + dy, z + 1]);
                *begin += self.cells[*begin..end].iter().take_while(|c| c.at < first).count();
                let row = self.cells[*begin..end].iter();
                row.take_while(|c| c.at <= last).for_each(|c| each(a, items[c.item as usize]));
            }
        }
    }

    /// Pairs of a finer level with a coarser one.
    fn between(
        &self,
        [first, last]: [usize; 2],
        (level, start, end): (i32, usize, usize),
        items: &[usize],
        boxes: &[Swept],
        each: &mut impl FnMut(usize, usize),
    ) {
        let coarse = &self.cells[start..end];
        for fine in &self.cells[first..last] {
            let a = items[fine.item as usize];
            let [x, y, z] = cell(middle(&boxes[a]), level);
            for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
                let (low, high) = ([x + dx, y + dy, z - 1], [x + dx, y + dy, z + 1]);
                let begin = coarse.partition_point(|c| c.at < low);
                let row = coarse[begin..].iter().take_while(|c| c.at <= high);
                row.for_each(|c| each(a, items[c.item as usize]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -1 to 1, the same every time.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// Boxes of very different sizes, flat ones, far ones and such without end: every pair that overlaps is found, once.
    #[test]
    fn same_pairs_as_brute_force() {
        let mut random = Random(5);
        for case in 0..40 {
            let count = 5 + 5 * case;
            let mut number = |low: f64, high: f64| low + (high - low) * (0.5 + 0.5 * random.next());
            let mut boxes: Vec<Swept> = (0..count)
                .map(|_| {
                    let width = 10f64.powf(number(-3.0, 0.5));
                    let middle: [f64; 3] =
                        std::array::from_fn(
                            |i| if case % 3 == 0 && i == 2 { 0.0 } else { number(-3.0, 3.0) },
                        );
                    let half: [f64; 3] = std::array::from_fn(|_| 0.5 * width * number(0.0, 1.0));
                    Swept {
                        low: std::array::from_fn(|i| middle[i] - half[i]),
                        high: std::array::from_fn(|i| middle[i] + half[i]),
                        slack: 0.0,
                    }
                })
                .collect();
            if case % 4 == 1 {
                boxes[2] = Swept { low: [f64::NEG_INFINITY; 3], high: [f64::INFINITY; 3], slack: 0.0 };
                boxes[3] = Swept { low: [1e15; 3], high: [1e15 + 2.0; 3], slack: 0.0 };
                boxes[4] = Swept { low: [f64::NAN; 3], high: [f64::NAN; 3], slack: 0.0 };
            }
            let items: Vec<usize> = (0..count).filter(|i| i % 7 != 6).collect();
            let mut found = Vec::new();
            Grid::default().find(&items, &boxes, |a, b| {
                if boxes[a].overlaps(&boxes[b]) {
                    found.push([a.min(b), a.max(b)]);
                }
            });
            found.sort_unstable();
            let mut brute = Vec::new();
            for (i, &a) in items.iter().enumerate() {
                brute.extend(
                    items[i + 1..].iter().filter(|&&b| boxes[a].overlaps(&boxes[b])).map(|&b| [a, b]),
                );
            }
            brute.sort_unstable();
            assert_eq!(found, brute, "case {case}");
        }
    }
}
