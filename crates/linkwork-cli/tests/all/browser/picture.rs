//! Pictures of pages, and what can be seen in them.

use std::collections::HashMap;

/// A part of a picture: left, top, width, height.
pub type Area = [f64; 4];

/// A picture of a page.
pub struct Picture {
    width: usize,
    height: usize,
    /// Red, green, blue of each pixel.
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// From PNG.
    pub fn read(bytes: &[u8]) -> Self {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut buffer).unwrap();
        let each = info.color_type.samples();
        let pixels = buffer[..info.buffer_size()].chunks(each).map(|p| [p[0], p[1], p[2]]).collect();
        Picture { width: info.width as usize, height: info.height as usize, pixels }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        self.pixels[y * self.width + x]
    }

    fn within(&self, [left, top, width, height]: Area) -> impl Iterator<Item = (usize, usize)> + use<> {
        let range = |from: f64, size: f64, most: usize| {
            from.max(0.0) as usize..((from + size).max(0.0) as usize).min(most)
        };
        let columns = range(left, width, self.width);
        range(top, height, self.height).flat_map(move |y| columns.clone().map(move |x| (x, y)))
    }

    /// Which part of an area is of another colour than most of it, from 0 to 1.
    pub fn drawn(&self, area: Area) -> f64 {
        let mut counts: HashMap<[u8; 3], usize> = HashMap::new();
        let mut all = 0;
        for (x, y) in self.within(area) {
            *counts.entry(self.pixel(x, y)).or_default() += 1;
            all += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        if all == 0 { 0.0 } else { 1.0 - most as f64 / all as f64 }
    }

    /// Which part of an area has another colour than a place where nothing is, from 0 to 1.
    pub fn covered(&self, area: Area, [x, y]: [f64; 2]) -> f64 {
        let nothing = self.pixel(x as usize, y as usize);
        let (mut all, mut other_ones) = (0.0, 0.0);
        for (x, y) in self.within(area) {
            all += 1.0;
            other_ones += f64::from(u8::from(self.pixel(x, y) != nothing));
        }
        if all == 0.0 { 0.0 } else { other_ones / all }
    }

    /// Which part of the pixels of an area another picture shows otherwise, from 0 to 1.
    pub fn differs(&self, other: &Picture, area: Area) -> f64 {
        let (mut all, mut other_ones) = (0, 0);
        for (x, y) in self.within(area) {
            all += 1;
            let pairs = self.pixel(x, y).into_iter().zip(other.pixel(x, y));
            other_ones += usize::from(pairs.map(|(a, b)| a.abs_diff(b)).max() > Some(12));
        }
        if all == 0 { 0.0 } else { f64::from(other_ones as u32) / f64::from(all as u32) }
    }
}
