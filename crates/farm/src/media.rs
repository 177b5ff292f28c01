//! Pictures and sounds: illustrations and enclosures that are what they claim, drawn from a number.

use crate::dice::mix;
use bytes::Bytes;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::OnceLock;

/// One byte a sample, which is all a chime needs.
const AUDIO_SAMPLES_PER_SECOND: usize = 8_000;
pub(crate) const AUDIO_SECONDS: u64 = 48;
const AUDIO_HEADER_BYTES: u64 = 44;
pub(crate) const AUDIO_BYTES: u64 = AUDIO_HEADER_BYTES + AUDIO_SECONDS * AUDIO_SAMPLES_PER_SECOND as u64;

/// Illustrations are this large.
pub(crate) const WIDTH: u32 = 640;
pub(crate) const HEIGHT: u32 = 260;
/// Photographs are half as large, because they are drawn pixel by pixel.
const SCALE: u32 = 2;

pub(crate) type Rgb = [u8; 3];

/// Sky, far, middle, near, and a light for suns and sails.
const PALETTES: [[Rgb; 5]; 7] = [
    [[0xe1, 0xe6, 0xe5], [0xa8, 0xbb, 0xbd], [0x6f, 0x8f, 0x96], [0x3f, 0x5d, 0x66], [0xf4, 0xee, 0xdc]],
    [[0xf3, 0xe6, 0xd6], [0xd9, 0xb1, 0x8e], [0xa6, 0x6f, 0x54], [0x5b, 0x3a, 0x35], [0xff, 0xf4, 0xd9]],
    [[0xdd, 0xe7, 0xd8], [0x9d, 0xb8, 0x8d], [0x5f, 0x86, 0x5a], [0x2f, 0x4d, 0x3a], [0xfb, 0xf3, 0xcf]],
    [[0x22, 0x2d, 0x44], [0x33, 0x44, 0x63], [0x26, 0x35, 0x4e], [0x14, 0x1d, 0x2e], [0xf2, 0xe8, 0xc4]],
    [[0xe4, 0xe0, 0xee], [0xb3, 0xa8, 0xcc], [0x7c, 0x70, 0x9f], [0x45, 0x3d, 0x66], [0xff, 0xf1, 0xe2]],
    [[0xd9, 0xea, 0xf2], [0x97, 0xc0, 0xd4], [0x4c, 0x88, 0xa6], [0x1f, 0x4b, 0x66], [0xff, 0xf7, 0xe6]],
    [[0xf6, 0xe3, 0xdf], [0xe0, 0xa1, 0x98], [0xb1, 0x5f, 0x5d], [0x63, 0x2f, 0x3a], [0xff, 0xf2, 0xe6]],
];

/// An illustration: three ridges under a sky, a light, and something that stands there.
pub(crate) fn svg(number: u64) -> String {
    let scene = Scene::of(number);
    let [sky, .., light] = scene.palette.map(hex);
    let (sun_x, sun_y, sun_r) = scene.sun;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\"><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{sky}\"/><circle cx=\"{sun_x}\" cy=\"{sun_y}\" r=\"{sun_r}\" fill=\"{light}\"/>"
    );
    for (ridge, colour) in scene.palette[1..4].iter().enumerate() {
        if ridge == 2 {
            let colours = [hex(*colour), light.clone(), sky.clone()];
            out.push_str(&standing(number, &colours, scene.height_at(1, 420.0)));
        }
        let _ = write!(out, "<path fill=\"{}\" d=\"M0 {HEIGHT}", hex(*colour));
        for step in 0..=16u32 {
            let x = step * WIDTH / 16;
            let _ = write!(out, "L{x} {:.0}", scene.height_at(ridge, f64::from(x)));
        }
        let _ = write!(out, "V{HEIGHT}Z\"/>");
    }
    out.push_str("</svg>");
    out
}

/// The same scene as a camera might see it: pixels, 8-bit RGB.
pub(crate) fn picture(number: u64) -> Vec<u8> {
    let scene = Scene::of(number);
    let (width, height) = (WIDTH / SCALE, HEIGHT / SCALE);
    let mut rows = Vec::with_capacity((width as usize * 3 + 1) * height as usize);
    for y in 0..height {
        rows.push(0); // Each row begins with its filter type, which is none.
        for x in 0..width {
            rows.extend_from_slice(&scene.colour_at(f64::from(x * SCALE), f64::from(y * SCALE)));
        }
    }
    png_file(width, height, &rows)
}

/// A square of one colour, `side` pixels wide, 8-bit RGB.
pub(crate) fn png(number: u64, side: u8) -> Vec<u8> {
    let colour = mix(number).to_le_bytes();
    let row = [&[0][..], &colour[..3].repeat(usize::from(side))].concat();
    png_file(u32::from(side), u32::from(side), &row.repeat(usize::from(side)))
}

/// An icon file that holds one PNG, as browsers accept since long.
pub(crate) fn ico(number: u64) -> Vec<u8> {
    let picture = png(number, 16);
    let mut out = vec![0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 24, 0];
    out.extend_from_slice(&(picture.len() as u32).to_le_bytes());
    out.extend_from_slice(&22u32.to_le_bytes());
    out.extend_from_slice(&picture);
    out
}

/// A slow peal of bells as a WAV file, one for all episodes.
pub(crate) fn audio() -> Bytes {
    static PEAL: OnceLock<Bytes> = OnceLock::new();
    PEAL.get_or_init(|| peal().into()).clone()
}

fn peal() -> Vec<u8> {
    const NOTES: [f64; 8] = [523.25, 440.0, 493.88, 329.63, 392.0, 440.0, 349.23, 261.63];
    let data = u32::try_from(AUDIO_BYTES - AUDIO_HEADER_BYTES).unwrap_or(0);
    let rate = AUDIO_SAMPLES_PER_SECOND as u32;
    let mut out = Vec::with_capacity(AUDIO_BYTES as usize);
    out.extend_from_slice(b"RIFF");
    out.extend_from_slice(&(data + 36).to_le_bytes());
    out.extend_from_slice(b"WAVEfmt ");
    out.extend_from_slice(&16u32.to_le_bytes());
    out.extend_from_slice(&[1, 0, 1, 0]); // Plain samples, one channel.
    out.extend_from_slice(&rate.to_le_bytes());
    out.extend_from_slice(&rate.to_le_bytes());
    out.extend_from_slice(&[1, 0, 8, 0]); // One byte a sample.
    out.extend_from_slice(b"data");
    out.extend_from_slice(&data.to_le_bytes());
    // A bell rings for three seconds and dies away.
    const RING: usize = 3 * AUDIO_SAMPLES_PER_SECOND;
    out.extend((0..data as usize).map(|sample| {
        let note = NOTES[sample / RING % NOTES.len()];
        let since = (sample % RING) as f64 / AUDIO_SAMPLES_PER_SECOND as f64;
        let wave = (since * note * std::f64::consts::TAU).sin() * (-2.0 * since).exp();
        (128.0 + 60.0 * wave) as u8
    }));
    out
}

struct Scene {
    palette: [Rgb; 5],
    sun: (u32, u32, u32),
    phase: [f64; 3],
}

impl Scene {
    fn of(number: u64) -> Scene {
        let below = |salt: u64, n: u32| (mix(number ^ salt) % u64::from(n.max(1))) as u32;
        Scene {
            palette: PALETTES[below(1, PALETTES.len() as u32) as usize],
            sun: (60 + below(2, WIDTH - 120), 34 + below(3, 60), 14 + below(4, 20)),
            phase: [5, 6, 7].map(|salt| f64::from(below(salt, 628)) / 100.0),
        }
    }

    /// The upper edge of a ridge, 0 being the farthest.
    fn height_at(&self, ridge: usize, x: f64) -> f64 {
        let (base, swing, length) = [(128.0, 34.0, 210.0), (168.0, 24.0, 150.0), (214.0, 12.0, 120.0)][ridge];
        base + swing * (x / length + self.phase[ridge]).sin()
            + swing * 0.3 * (x / length * 2.7 + self.phase[ridge]).cos()
    }

    fn colour_at(&self, x: f64, y: f64) -> Rgb {
        let ridge = (0..3).rev().find(|&ridge| y >= self.height_at(ridge, x));
        if let Some(ridge) = ridge {
            return self.palette[ridge + 1];
        }
        let (sun_x, sun_y, sun_r) = self.sun;
        let away = (x - f64::from(sun_x)).hypot(y - f64::from(sun_y));
        if away <= f64::from(sun_r) { self.palette[4] } else { self.palette[0] }
    }
}

/// A boat, a house, some trees or nothing.
fn standing(number: u64, colours: &[String; 3], ground: f64) -> String {
    let [dark, light, pale] = colours;
    match mix(number ^ 9) % 4 {
        0 => format!(
            "<g transform=\"translate(420 {ground:.0})\"><path fill=\"{dark}\" d=\"M-34 0h68l-12 16h-46z\"/><path fill=\"{light}\" d=\"M0-62V-4H-26z\"/><path fill=\"{pale}\" d=\"M4-54L30-4H4z\"/></g>"
        ),
        1 => format!(
            "<g transform=\"translate(420 {ground:.0})\"><path fill=\"{light}\" d=\"M-24-40h48V24h-48z\"/><path fill=\"#8a3b24\" d=\"M-32-40L0-66l32 26z\"/><path fill=\"{dark}\" d=\"M-6-24H8v18H-6z\"/></g>"
        ),
        2 => {
            let mut out = String::new();
            for (x, size) in [(350, 30), (398, 44), (430, 34), (470, 52)] {
                let _ = write!(
                    out,
                    "<path fill=\"{dark}\" d=\"M{x} {:.0}l{} {}h-{}z\"/>",
                    ground - f64::from(size) * 1.6,
                    size / 2,
                    size * 2,
                    size
                );
            }
            out
        }
        _ => String::new(),
    }
}

pub(crate) fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

pub(crate) fn png_file(width: u32, height: u32, rows: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to a vector cannot fail.
    let _ = encoder.write_all(rows);
    let data = encoder.finish().unwrap_or_default();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &data);
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend_from_slice(&(data.len() as u32).to_be_bytes());
    out.extend_from_slice(kind);
    out.extend_from_slice(data);
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    out.extend_from_slice(&crc.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_and_sounds_are_what_they_claim() {
        assert!(png(7, 16).starts_with(b"\x89PNG"));
        assert!(picture(7).starts_with(b"\x89PNG"));
        assert!(ico(7)[22..].starts_with(b"\x89PNG"));
        assert!(svg(7).starts_with("<svg") && svg(7).ends_with("</svg>"));
        assert_eq!(audio().len() as u64, AUDIO_BYTES);
        assert!(audio().starts_with(b"RIFF") && audio()[8..].starts_with(b"WAVE"));
    }
}
