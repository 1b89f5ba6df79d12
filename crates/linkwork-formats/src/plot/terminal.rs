//! Plots in the terminal: dots in Braille letters, two by four to a letter.

use super::scale::{Scale, range, widened};
use super::{Plot, thin, with_unit};
use std::fmt::Write;

/// How a terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Letters to a line.
    pub width: usize,
    /// Whether it has colours.
    pub colours: bool,
}

/// Of the dots of a letter, column by column.
const DOTS: [[u32; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
/// Blue, red, green, magenta, yellow, cyan, plain.
const INKS: [&str; 7] = ["34", "31", "32", "35", "33", "36", "39"];
const PANEL_HEIGHT: usize = 15;

impl Plot {
    /// The plot as text. Curves of one unit share a panel where colours tell them apart; else each has its own.
    pub fn to_text(&self, terminal: Terminal) -> String {
        let mut text = String::new();
        if let Some(title) = &self.title {
            let _ = writeln!(text, "{title}");
        }
        let panels: Vec<Vec<usize>> = if terminal.colours {
            let of = |unit: &str| (0..self.curves.len()).filter(|&i| self.curves[i].unit == unit).collect();
            self.units().into_iter().map(of).collect()
        } else {
            (0..self.curves.len()).map(|i| vec![i]).collect()
        };
        let all = self
            .curves
            .iter()
            .flat_map(|c| c.x.iter().zip(&c.y).filter(|(_, y)| y.is_finite()).map(|(x, _)| *x));
        let x_limits = widened(range(all).unwrap_or([0.0, 1.0]), 0.0);
        for curves in panels {
            self.panel(&mut text, &curves, x_limits, terminal);
        }
        text
    }

    fn panel(&self, text: &mut String, curves: &[usize], x_limits: [f64; 2], terminal: Terminal) {
        let values = curves.iter().flat_map(|&i| self.curves[i].y.iter().copied());
        let y = Scale::new(widened(range(values).unwrap_or([0.0, 1.0]), 0.02), 4.0);
        let gutter = y.labels.iter().map(|l| l.chars().count()).max().unwrap_or(0).max(4) + 1;
        let wide = terminal.width.saturating_sub(gutter + 2).max(10);
        for (k, &i) in curves.iter().enumerate() {
            let curve = &self.curves[i];
            let name = with_unit(&self.name_of(curve), &curve.unit);
            let ink = INKS[i % INKS.len()];
            let _ = match terminal.colours {
                true => write!(text, "{}\x1b[{ink}m━━\x1b[0m {name}", if k > 0 { "  " } else { "" }),
                false => write!(text, "{name}"),
            };
        }
        let factor: String = y
            .factor()
            .iter()
            .map(|(piece, raised)| if *raised { format!("^{piece}") } else { piece.clone() })
            .collect();
        let _ = writeln!(text, "{}{factor}", if factor.is_empty() { "" } else { "   " });

        let mut cells = vec![vec![(0_u32, 0_usize); wide]; PANEL_HEIGHT];
        for &i in curves {
            self.dots(&mut cells, i, x_limits, &y);
        }
        let row_of = |value: f64| ((1.0 - y.place(value)) * (PANEL_HEIGHT as f64 - 1.0)).round() as usize;
        for (row, line) in cells.iter().enumerate() {
            let label = y
                .ticks
                .iter()
                .zip(&y.labels)
                .find(|(value, _)| row_of(**value) == row)
                .map(|(_, label)| label.as_str());
            let _ =
                write!(text, "{:>gutter$}{}", label.unwrap_or(""), if label.is_some() { "┤" } else { "│" });
            let mut ink = usize::MAX;
            for (dots, curve) in line {
                if terminal.colours && *dots != 0 && ink != *curve {
                    ink = *curve;
                    let _ = write!(text, "\x1b[{}m", INKS[ink % INKS.len()]);
                }
                text.push(if *dots == 0 { ' ' } else { char::from_u32(0x2800 + dots).unwrap_or(' ') });
            }
            if ink != usize::MAX {
                text.push_str("\x1b[0m");
            }
            while text.ends_with(' ') {
                text.pop();
            }
            text.push('\n');
        }
        self.across(text, x_limits, gutter, wide);
    }

    /// Sets the dots of a curve.
    fn dots(&self, cells: &mut [Vec<(u32, usize)>], index: usize, x_limits: [f64; 2], y: &Scale) {
        let curve = &self.curves[index];
        let (wide, high) = (cells[0].len() * 2, PANEL_HEIGHT * 4);
        let x = Scale::new(x_limits, 5.0);
        let places = curve.x.iter().zip(&curve.y).map(|(a, b)| {
            if a.is_finite() && b.is_finite() {
                [x.place(*a) * (wide as f64 - 1.0), (1.0 - y.place(*b)) * (high as f64 - 1.0)]
            } else {
                [f64::NAN; 2]
            }
        });
        let mut set = |[px, py]: [f64; 2]| {
            let (column, row) = (px.round() as usize, py.round() as usize);
            if px > -0.5 && py > -0.5 && column < wide && row < high {
                let cell = &mut cells[row / 4][column / 2];
                *cell = (cell.0 | DOTS[column % 2][row % 4], index);
            }
        };
        for line in thin::pieces(places) {
            set(line[0]);
            for pair in line.windows(2) {
                let steps = (pair[1][0] - pair[0][0])
                    .abs()
                    .max((pair[1][1] - pair[0][1]).abs())
                    .ceil()
                    .clamp(1.0, 1e4);
                for k in 1..=steps as usize {
                    let s = k as f64 / steps;
                    set([
                        pair[0][0] + s * (pair[1][0] - pair[0][0]),
                        pair[0][1] + s * (pair[1][1] - pair[0][1]),
                    ]);
                }
            }
        }
    }

    /// The axis below a panel.
    fn across(&self, text: &mut String, limits: [f64; 2], gutter: usize, wide: usize) {
        let scale = Scale::new(limits, (wide as f64 / 14.0).clamp(2.0, 10.0));
        let mut line = vec!['─'; wide];
        let mut labels = vec![' '; wide + 2];
        let mut free = 0;
        for (value, label) in scale.ticks.iter().zip(&scale.labels) {
            let column = ((scale.place(*value) * (wide as f64 - 1.0)).round() as usize).min(wide - 1);
            line[column] = '┬';
            let length = label.chars().count();
            let start = column.saturating_sub(length / 2).min((wide + 2).saturating_sub(length));
            if start >= free {
                labels.iter_mut().skip(start).zip(label.chars()).for_each(|(cell, letter)| *cell = letter);
                free = start + length + 1;
            }
        }
        let factor: String = scale
            .factor()
            .iter()
            .map(|(piece, raised)| if *raised { format!("^{piece}") } else { piece.clone() })
            .collect();
        let _ = writeln!(text, "{:>gutter$}└{}", "", line.into_iter().collect::<String>());
        let labels: String = labels.into_iter().collect();
        let _ = writeln!(text, "{:>gutter$} {}", "", labels.trim_end());
        let name = format!("{} {factor}", with_unit(&self.x_name, &self.x_unit));
        let _ = writeln!(text, "{:>1$}", name.trim_end(), gutter + 1 + wide);
    }
}
