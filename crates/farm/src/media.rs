//! Small pictures and sounds: enough for an icon, an illustration and an enclosure to be what they claim.

use crate::dice::mix;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use std::io::Write;

/// An MPEG-1 layer III frame at 128 kbit/s and 44.1 kHz is 417 bytes; the sound is this many frames of silence.
const AUDIO_FRAME_BYTES: usize = 417;
const AUDIO_FRAMES: usize = 20;
pub(crate) const AUDIO_BYTES: u64 = (AUDIO_FRAME_BYTES * AUDIO_FRAMES) as u64;

pub(crate) fn svg(number: u64) -> String {
    let hue = mix(number) % 360;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"320\" height=\"180\" viewBox=\"0 0 320 180\"><rect width=\"320\" height=\"180\" fill=\"hsl({hue} 35% 82%)\"/><circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"hsl({} 45% 45%)\"/><path d=\"M0 150 Q160 {} 320 150 V180 H0Z\" fill=\"hsl({hue} 30% 35%)\"/></svg>",
        40 + mix(number ^ 1) % 240,
        30 + mix(number ^ 2) % 80,
        12 + mix(number ^ 3) % 30,
        (hue + 40) % 360,
        60 + mix(number ^ 4) % 100
    )
}

/// A square of one colour, `side` pixels wide, 8-bit RGB.
pub(crate) fn png(number: u64, side: u8) -> Vec<u8> {
    let colour = mix(number).to_le_bytes();
    // Each row begins with its filter type, which is none.
    let row = [&[0][..], &colour[..3].repeat(usize::from(side))].concat();
    let rows = row.repeat(usize::from(side));
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    // Writing to a vector cannot fail.
    let _ = encoder.write_all(&rows);
    let data = encoder.finish().unwrap_or_default();
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let header = [0, 0, 0, side, 0, 0, 0, side, 8, 2, 0, 0, 0];
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &data);
    chunk(&mut out, b"IEND", &[]);
    out
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

pub(crate) fn audio() -> Vec<u8> {
    let mut frame = vec![0u8; AUDIO_FRAME_BYTES];
    frame[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x64]);
    frame.repeat(AUDIO_FRAMES)
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
        assert!(ico(7)[22..].starts_with(b"\x89PNG"));
        assert!(svg(7).starts_with("<svg"));
        assert_eq!(audio().len() as u64, AUDIO_BYTES);
        assert_eq!(audio()[AUDIO_FRAME_BYTES], 0xff, "frames follow each other");
    }
}
