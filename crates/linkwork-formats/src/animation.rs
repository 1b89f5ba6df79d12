//! Motions as moving pictures: sequences of PNG files, animated GIF and animated SVG.

use crate::Error;
use crate::deformable::Looks;
use crate::drawing::{Drawing, Element, Pixels, open_svg, write_element};
use crate::geometry::Vector;
use crate::motion::{Clock, Motion};
use crate::still::{Forces, Still, View};
use linkwork_scene::Scene;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write;

/// Triangles of the surfaces in a single picture, and in each of several, at most.
const MOST_TRIANGLES: [usize; 2] = [40_000, 12_000];
/// Likewise in each picture of an SVG file that has many.
const MOST_PLAIN_TRIANGLES: usize = 2_000;

/// How large a picture is, and what of the motion has to be in sight.
#[derive(Clone, Copy)]
struct Framing {
    size: Option<[f64; 2]>,
    wide: f64,
    range: [f64; 2],
}

impl Framing {
    fn view(&self, motion: &Motion, direction: Option<[f64; 2]>, paths: &[Vec<Vector>]) -> View {
        View::of(motion, self.size, self.wide, self.range, direction, &paths.concat())
    }
}

/// A motion as a film.
pub struct Film<'a> {
    motion: &'a Motion,
    /// What moves, with as many triangles as a picture needs.
    scene: Cow<'a, Scene>,
    framing: Framing,
    view: View,
    still: Still,
    forces: Option<Forces>,
    times: Vec<f64>,
    fps: f64,
}

impl<'a> Film<'a> {
    /// A film of a motion, in a size or as wide as given, with the ways of named points; `range`: from when to when everything has to be in sight,
    /// where that is not just the film's own time.
    pub fn new(
        motion: &'a Motion,
        clock: &Clock,
        size: Option<[f64; 2]>,
        wide: f64,
        range: Option<[f64; 2]>,
        traces: &[String],
    ) -> Result<Film<'a>, Error> {
        let times = clock.times(motion)?;
        let range = range.unwrap_or([times[0], times[times.len() - 1]]);
        let shown = motion.scene.view.traces.iter().map(|point| &motion.scene.points[*point].name);
        let shown = shown.filter(|name| traces.is_empty() && !name.is_empty());
        let mut paths: Vec<Vec<Vector>> = Vec::new();
        for name in traces.iter().chain(shown) {
            let path = motion.path_of(name, range[0], range[1]);
            paths.extend(path.ok_or_else(|| Error::Empty(no_point(motion, name)))?);
        }
        // as many decimals as tell neighbours apart
        let decimals = (-(clock.speed / clock.fps).log10()).ceil().clamp(1.0, 6.0) as usize;
        let time = (times.len() > 1).then_some(decimals);
        let looks = Looks::of(motion, &[], 1.0)?;
        let framing = Framing { size, wide, range };
        let view = framing.view(motion, None, &paths);
        let labels = motion.scene.view.labels;
        let still = Still { traces: paths, labels, time, looks, ..Still::default() };
        let scene = motion.scene.with_triangles(MOST_TRIANGLES[usize::from(times.len() > 1)]);
        Ok(Film { motion, scene, framing, view, still, forces: None, times, fps: clock.fps })
    }

    /// Names at the points, in every picture.
    pub fn with_labels(mut self) -> Film<'a> {
        self.still.labels = true;
        self
    }

    /// Other colours of bodies that deform, by the keys of fields, and deformations of modal bodies so much enlarged.
    pub fn with_looks(mut self, keys: &[String], enlarged: f64) -> Result<Film<'a>, Error> {
        self.still.looks = Looks::of(self.motion, keys, enlarged)?;
        Ok(self)
    }

    /// Seen from another direction: azimuth and elevation of the eye, degrees.
    pub fn seen_from(mut self, direction: [f64; 2]) -> Film<'a> {
        self.view = self.framing.view(self.motion, Some(direction), &self.still.traces);
        self
    }

    /// With arrows of the forces that a table of results has.
    pub fn with_forces(mut self, forces: Forces) -> Film<'a> {
        self.forces = Some(forces);
        self
    }

    /// A picture of an instant; `plain` as in [`Still`].
    fn picture(&self, scene: &Scene, t: f64, plain: bool) -> Drawing {
        let pose = self.motion.at(t);
        let mut still = Still { plain, ..self.still.clone() };
        if let Some(forces) = &self.forces {
            still.arrows = forces.arrows(scene, &pose);
        }
        still.draw(scene, &pose, &self.view)
    }

    /// How many pictures there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Never: there is one picture at least.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Width and height, pixels.
    pub fn size(&self) -> [u32; 2] {
        self.view.size.map(|x| x.round() as u32)
    }

    /// A picture.
    pub fn drawing(&self, frame: usize) -> Drawing {
        let t = self.times.get(frame).or(self.times.last()).copied().unwrap_or(0.0);
        self.picture(&self.scene, t, false)
    }

    /// A picture in pixels.
    pub fn pixels(&self, frame: usize) -> Result<Pixels, Error> {
        self.drawing(frame).to_pixels()
    }

    /// Writes an animated GIF that begins again at its end. All pictures share one palette.
    pub fn write_gif(&self, to: impl Write, mut progress: impl FnMut(usize)) -> Result<(), Error> {
        let failed = |e: gif::EncodingError| Error::Encoding { what: "a GIF file", why: e.to_string() };
        let first = self.pixels(0)?;
        let [width, height] = first.size();
        let (Ok(width), Ok(height)) = (u16::try_from(width), u16::try_from(height)) else {
            return Err(Error::TooLarge(format!(
                "a GIF of {width} × {height} pixels cannot be; take a smaller --size"
            )));
        };
        let sample = [0, self.len() / 2, self.len() - 1]
            .map(|i| self.pixels(i))
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        let palette = Palette::of(&sample);
        let mut encoder = gif::Encoder::new(to, width, height, &palette.bytes()).map_err(failed)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(failed)?;
        // times are in hundredths: what is lost in one is made up for in the next
        let mut reported = 0.0;
        let mut before = Vec::new();
        for i in 0..self.len() {
            let until = 100.0 * (i + 1) as f64 / self.fps;
            let delay = (until - reported).round().clamp(2.0, 60_000.0);
            reported += delay;
            let pixels = if i == 0 { first.clone() } else { self.pixels(i)? };
            let now = palette.indices(&pixels);
            let mut frame = changed(&before, &now, usize::from(width), palette.nothing());
            frame.delay = delay as u16;
            before = now;
            encoder.write_frame(&frame).map_err(failed)?;
            progress(i + 1);
        }
        Ok(())
    }

    /// An SVG file that plays by itself in a browser, again and again: every picture is shown for its time.
    pub fn to_svg(&self) -> String {
        let scene = self.scene.with_triangles(MOST_PLAIN_TRIANGLES);
        let drawings: Vec<Drawing> = self.times.iter().map(|t| self.picture(&scene, *t, true)).collect();
        let mut text = String::new();
        let mut first = drawings[0].clone();
        first.description = format!("{}, moving", self.motion.scene.name);
        open_svg(&mut text, &first);
        // what is the same from the back on in all pictures is drawn once
        let shared = (0..first.elements.len())
            .take_while(|&k| drawings.iter().all(|d| d.elements.get(k) == Some(&first.elements[k])))
            .count();
        first.elements[..shared].iter().for_each(|element| write_element(&mut text, element, 1));
        let count = drawings.len();
        let duration = count as f64 / self.fps;
        for (i, drawing) in drawings.iter().enumerate() {
            if count == 1 {
                drawing.elements[shared..].iter().for_each(|element| write_element(&mut text, element, 1));
                continue;
            }
            // the first is seen also where nothing moves
            let _ = write!(text, "<g{}>", if i > 0 { " visibility=\"hidden\"" } else { "" });
            let (from, to) = (i as f64 / count as f64, (i + 1) as f64 / count as f64);
            let (values, keys) = match i {
                0 => ("visible;hidden".to_string(), format!("0;{to:.6}")),
                _ if i + 1 == count => ("hidden;visible".to_string(), format!("0;{from:.6}")),
                _ => ("hidden;visible;hidden".to_string(), format!("0;{from:.6};{to:.6}")),
            };
            let _ = write!(
                text,
                "<animate attributeName=\"visibility\" values=\"{values}\" keyTimes=\"{keys}\" dur=\"{duration:.3}s\" calcMode=\"discrete\" repeatCount=\"indefinite\"/>"
            );
            group(&mut text, &drawing.elements[shared..]);
            text.push_str("</g>\n");
        }
        text.push_str("</svg>\n");
        text
    }
}

/// The part of a picture that differs from the one before; where it does not, the one before shows through.
fn changed(before: &[u8], now: &[u8], width: usize, nothing: u8) -> gif::Frame<'static> {
    let differs = |place: usize| before.get(place) != Some(&now[place]);
    let height = now.len() / width.max(1);
    let rows: Vec<usize> = (0..height).filter(|y| (0..width).any(|x| differs(y * width + x))).collect();
    let columns: Vec<usize> = (0..width).filter(|x| (0..height).any(|y| differs(y * width + x))).collect();
    let span = |list: &[usize]| list.first().copied().zip(list.last().copied()).unwrap_or((0, 0));
    let ((top, bottom), (left, right)) = (span(&rows), span(&columns));
    let buffer: Vec<u8> = (top..=bottom)
        .flat_map(|y| (left..=right).map(move |x| y * width + x))
        .map(|place| if differs(place) { now[place] } else { nothing })
        .collect();
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        transparent: Some(nothing),
        dispose: gif::DisposalMethod::Keep,
        buffer: buffer.into(),
        ..gif::Frame::default()
    }
}

fn group(text: &mut String, elements: &[Element]) {
    for element in elements {
        write_element(text, element, 1);
    }
}

fn no_point(motion: &Motion, name: &str) -> String {
    let mut near: Vec<(f64, &str)> =
        motion.scene.points.iter().map(|p| (strsim::jaro_winkler(&p.name, name), p.name.as_str())).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = near.len();
    let near: Vec<String> = near.iter().take(8).map(|(_, name)| format!("`{name}`")).collect();
    let more = if all > near.len() { format!(" and {} more", all - near.len()) } else { String::new() };
    format!("there is no point `{name}`; points are {}{more}", near.join(", "))
}

/// Colours of a GIF: the commonest ones of some pictures.
struct Palette {
    colours: Vec<[u8; 3]>,
    /// The nearest colour of each of 32 × 32 × 32.
    nearest: Vec<u8>,
}

impl Palette {
    fn of(pictures: &[Pixels]) -> Palette {
        let mut counts = vec![(0_u64, [0_u64; 3]); 1 << 15];
        for pixel in pictures.iter().flat_map(|picture| picture.rgba().chunks_exact(4)) {
            let cell = &mut counts[cell_of(pixel)];
            cell.0 += 1;
            cell.1.iter_mut().zip(pixel).for_each(|(sum, c)| *sum += u64::from(*c));
        }
        let mut cells: Vec<&(u64, [u64; 3])> = counts.iter().filter(|cell| cell.0 > 0).collect();
        cells.sort_by_key(|cell| std::cmp::Reverse(cell.0));
        let colours: Vec<[u8; 3]> =
            cells.iter().take(255).map(|(count, sum)| sum.map(|s| (s / count) as u8)).collect();
        let nearest = (0..1 << 15)
            .map(|cell| {
                let middle = [cell >> 10, cell >> 5 & 31, cell & 31].map(|c| c << 3 | 4);
                let off =
                    |c: &[u8; 3]| c.iter().zip(middle).map(|(c, m)| (i32::from(*c) - m).pow(2)).sum::<i32>();
                (0..colours.len()).min_by_key(|&i| off(&colours[i])).unwrap_or(0) as u8
            })
            .collect();
        Palette { colours, nearest }
    }

    /// The colours, and one more that stands for none.
    fn bytes(&self) -> Vec<u8> {
        [self.colours.concat(), vec![0; 3]].concat()
    }

    fn nothing(&self) -> u8 {
        self.colours.len() as u8
    }

    fn indices(&self, picture: &Pixels) -> Vec<u8> {
        picture.rgba().chunks_exact(4).map(|pixel| self.nearest[cell_of(pixel)]).collect()
    }
}

fn cell_of(pixel: &[u8]) -> usize {
    let [r, g, b] = [0, 1, 2].map(|k| usize::from(pixel[k]) >> 3);
    r << 10 | g << 5 | b
}
