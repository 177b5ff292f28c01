//! A site's mark: a coloured tile with one simple sign on it, drawn from a number; with lines or with pixels.

use crate::dice::mix;
use crate::media::{Rgb, hex, png_file};
use std::fmt::Write as _;

/// Signs are drawn on a square of 32, and have pixels twice as fine.
const SIDE: f32 = 32.0;
const PIXELS: u32 = 64;
const PEN: f32 = 1.3;

enum Shape {
    /// Through these points.
    Stroke(&'static [(f32, f32)]),
    /// Around a point.
    Ring(f32, f32, f32),
    Dot(f32, f32, f32),
}
use Shape::{Dot, Ring, Stroke};

/// Ground and ink.
const COLOURS: [(Rgb, Rgb); 12] = [
    ([0x1f, 0x4e, 0x79], [0xf4, 0xe3, 0xb5]),
    ([0x6b, 0x8e, 0x3d], [0xf5, 0xf5, 0xe6]),
    ([0xdf, 0xe6, 0xea], [0x2c, 0x4a, 0x63]),
    ([0x26, 0x2b, 0x2e], [0xe9, 0xa1, 0x3b]),
    ([0xf3, 0xdf, 0xc4], [0x8a, 0x4b, 0x20]),
    ([0x2f, 0x3e, 0x9e], [0xdf, 0xe4, 0xff]),
    ([0x3b, 0x41, 0x45], [0xe8, 0xc9, 0xb4]),
    ([0x0f, 0x1a, 0x1c], [0x6f, 0xd3, 0xb3]),
    ([0x17, 0x3f, 0x3c], [0xe3, 0xef, 0xe9]),
    ([0x8c, 0x1f, 0x3f], [0xf7, 0xdf, 0xe5]),
    ([0x7a, 0x5a, 0xa6], [0xf1, 0xea, 0xfa]),
    ([0xb3, 0x54, 0x1e], [0xfd, 0xee, 0xe2]),
];

/// Waves, bars, a target, a rise, brackets, a star, a die, arcs, lines, an arch, a book, a sprout.
const SIGNS: [&[Shape]; 12] = [
    &[
        Stroke(&[
            (5.0, 17.0),
            (8.0, 15.0),
            (11.0, 17.0),
            (14.0, 19.0),
            (17.0, 17.0),
            (20.0, 15.0),
            (23.0, 17.0),
            (27.0, 18.5),
        ]),
        Stroke(&[
            (5.0, 23.0),
            (8.0, 21.0),
            (11.0, 23.0),
            (14.0, 25.0),
            (17.0, 23.0),
            (20.0, 21.0),
            (23.0, 23.0),
            (27.0, 24.5),
        ]),
        Dot(22.0, 9.0, 3.0),
    ],
    &[
        Stroke(&[(9.0, 24.0), (9.0, 15.0)]),
        Stroke(&[(16.0, 24.0), (16.0, 8.0)]),
        Stroke(&[(23.0, 24.0), (23.0, 18.0)]),
    ],
    &[Ring(16.0, 16.0, 7.0), Dot(16.0, 16.0, 2.0)],
    &[Stroke(&[(6.0, 22.0), (12.0, 14.0), (17.0, 19.0), (26.0, 8.0)])],
    &[Stroke(&[(12.0, 9.0), (6.0, 16.0), (12.0, 23.0)]), Stroke(&[(20.0, 9.0), (26.0, 16.0), (20.0, 23.0)])],
    &[
        Stroke(&[(16.0, 6.0), (16.0, 26.0)]),
        Stroke(&[(7.0, 11.0), (25.0, 21.0)]),
        Stroke(&[(25.0, 11.0), (7.0, 21.0)]),
    ],
    &[
        Dot(10.0, 10.0, 2.5),
        Dot(22.0, 10.0, 2.5),
        Dot(16.0, 16.0, 2.5),
        Dot(10.0, 22.0, 2.5),
        Dot(22.0, 22.0, 2.5),
    ],
    &[
        Stroke(&[(7.0, 7.0), (8.1, 14.9), (11.5, 20.5), (17.1, 23.9), (25.0, 25.0)]),
        Stroke(&[(7.0, 16.0), (7.6, 20.0), (9.3, 22.8), (12.1, 24.4), (16.0, 25.0)]),
    ],
    &[
        Stroke(&[(8.0, 10.0), (24.0, 10.0)]),
        Stroke(&[(8.0, 16.0), (24.0, 16.0)]),
        Stroke(&[(8.0, 22.0), (18.0, 22.0)]),
    ],
    &[
        Stroke(&[
            (8.0, 25.0),
            (8.0, 14.0),
            (9.1, 10.0),
            (12.0, 7.1),
            (16.0, 6.0),
            (20.0, 7.1),
            (22.9, 10.0),
            (24.0, 14.0),
            (24.0, 25.0),
        ]),
        Stroke(&[(8.0, 19.0), (24.0, 19.0)]),
    ],
    &[
        Stroke(&[(16.0, 9.0), (11.0, 7.5), (6.0, 9.0), (6.0, 24.0), (11.0, 22.5), (16.0, 24.0), (16.0, 9.0)]),
        Stroke(&[(16.0, 9.0), (21.0, 7.5), (26.0, 9.0), (26.0, 24.0), (21.0, 22.5), (16.0, 24.0)]),
    ],
    &[
        Stroke(&[(16.0, 26.0), (16.0, 10.0)]),
        Stroke(&[
            (16.0, 15.0),
            (11.0, 14.0),
            (8.5, 11.5),
            (8.0, 7.0),
            (13.0, 8.0),
            (15.5, 10.5),
            (16.0, 15.0),
        ]),
        Stroke(&[
            (16.0, 21.0),
            (21.0, 20.0),
            (23.5, 17.5),
            (24.0, 13.0),
            (19.0, 14.0),
            (16.5, 16.5),
            (16.0, 21.0),
        ]),
    ],
];

struct Mark {
    ground: Rgb,
    ink: Rgb,
    sign: &'static [Shape],
}

impl Mark {
    fn of(number: u64) -> Mark {
        let pick = |salt: u64, n: usize| usize::try_from(mix(number ^ salt)).unwrap_or(0) % n;
        let (ground, ink) = COLOURS[pick(11, COLOURS.len())];
        Mark { ground, ink, sign: SIGNS[pick(12, SIGNS.len())] }
    }

    /// How much of a pixel is inked: its distance from the nearest line, softened over one pixel.
    fn cover(&self, x: f32, y: f32) -> f32 {
        let away = self.sign.iter().map(|shape| shape.distance(x, y)).fold(f32::MAX, f32::min);
        (0.5 - away * PIXELS as f32 / SIDE).clamp(0.0, 1.0)
    }
}

impl Shape {
    /// From the edge of what is drawn, below 0 inside.
    fn distance(&self, x: f32, y: f32) -> f32 {
        match *self {
            Dot(at_x, at_y, r) => (x - at_x).hypot(y - at_y) - r,
            Ring(at_x, at_y, r) => ((x - at_x).hypot(y - at_y) - r).abs() - PEN,
            Stroke(points) => points.windows(2).fold(f32::MAX, |least, ends| {
                let [(ax, ay), (bx, by)] = [ends[0], ends[1]];
                let (dx, dy) = (bx - ax, by - ay);
                let along = (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
                least.min((x - ax - along * dx).hypot(y - ay - along * dy) - PEN)
            }),
        }
    }
}

pub(crate) fn svg(number: u64) -> String {
    let mark = Mark::of(number);
    let (ground, ink) = (hex(mark.ground), hex(mark.ink));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIDE} {SIDE}\"><rect width=\"{SIDE}\" height=\"{SIDE}\" rx=\"7\" fill=\"{ground}\"/>\
         <g fill=\"none\" stroke=\"{ink}\" stroke-width=\"{}\" stroke-linecap=\"round\" stroke-linejoin=\"round\">",
        2.0 * PEN
    );
    for shape in mark.sign {
        let _ = match shape {
            Dot(x, y, r) => {
                write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{ink}\" stroke=\"none\"/>")
            }
            Ring(x, y, r) => write!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"),
            Stroke(points) => {
                let points: Vec<String> = points.iter().map(|(x, y)| format!("{x},{y}")).collect();
                write!(out, "<polyline points=\"{}\"/>", points.join(" "))
            }
        };
    }
    out.push_str("</g></svg>");
    out
}

pub(crate) fn png(number: u64) -> Vec<u8> {
    let mark = Mark::of(number);
    let mut rows = Vec::with_capacity((PIXELS as usize * 3 + 1) * PIXELS as usize);
    let middle = |pixel: u32| (pixel as f32 + 0.5) * SIDE / PIXELS as f32;
    for y in 0..PIXELS {
        rows.push(0); // Each row begins with its filter type, which is none.
        for x in 0..PIXELS {
            let cover = mark.cover(middle(x), middle(y));
            let mixed = |(ground, ink): (u8, u8)| f32::from(ground) * (1.0 - cover) + f32::from(ink) * cover;
            rows.extend(mark.ground.into_iter().zip(mark.ink).map(|both| mixed(both).round() as u8));
        }
    }
    png_file(PIXELS, PIXELS, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_look_different_with_lines_and_with_pixels() {
        let drawn: BTreeSet<String> = (0..50).map(svg).collect();
        let painted: BTreeSet<Vec<u8>> = (0..50).map(png).collect();
        assert!(drawn.len() > 25 && drawn.len() == painted.len(), "{} and {}", drawn.len(), painted.len());
    }

    #[test]
    fn ink_lies_on_the_lines_and_ground_everywhere_else() {
        for sign in SIGNS {
            let mark = Mark { ground: [0; 3], ink: [255; 3], sign };
            assert_eq!(mark.cover(0.5, 0.5), 0.0);
            for shape in sign {
                let (x, y) = match *shape {
                    Stroke(points) => points[0],
                    Ring(x, y, r) => (x + r, y),
                    Dot(x, y, _) => (x, y),
                };
                assert_eq!(mark.cover(x, y), 1.0, "{x} {y}");
            }
        }
    }
}
