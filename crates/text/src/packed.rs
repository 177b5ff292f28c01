//! States as bytes: a version, then numbers of variable length.
//!
//! What a store hands back may be from an older version or damaged, so reading checks every step and every length
//! against what is left, and answers with an error, never with a panic or an allocation of somebody else's choice.

/// Bytes that are not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadState {
    #[error("the stored state ends too early")]
    Short,
    #[error("the stored state has version {0}, which is not ours")]
    Version(u8),
    #[error("the stored state contradicts itself")]
    Wrong,
}

#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    pub fn new(version: u8) -> Self {
        Writer(vec![version])
    }

    /// Seven bits a byte, lowest first.
    pub fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn signed(&mut self, value: i64) {
        self.number(((value << 1) ^ (value >> 63)).cast_unsigned());
    }

    pub fn word(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn float(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn small_float(&mut self, value: f32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn text(&mut self, value: &str) {
        self.number(value.len() as u64);
        self.0.extend(value.as_bytes());
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.0.extend(value);
    }

    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

#[derive(Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], version: u8) -> Result<Self, BadState> {
        let (first, rest) = bytes.split_first().ok_or(BadState::Short)?;
        if *first == version { Ok(Reader(rest)) } else { Err(BadState::Version(*first)) }
    }

    pub fn number(&mut self) -> Result<u64, BadState> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.0.split_first().ok_or(BadState::Short)?;
            self.0 = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(BadState::Wrong)
    }

    pub fn signed(&mut self) -> Result<i64, BadState> {
        let value = self.number()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// A number that may not be above `most`.
    pub fn within(&mut self, most: usize) -> Result<usize, BadState> {
        let value = usize::try_from(self.number()?).map_err(|_| BadState::Wrong)?;
        if value <= most { Ok(value) } else { Err(BadState::Wrong) }
    }

    /// How many entries follow, each of at least one byte.
    pub fn length(&mut self, most: usize) -> Result<usize, BadState> {
        let length = self.within(most)?;
        if length <= self.0.len() { Ok(length) } else { Err(BadState::Short) }
    }

    pub fn word(&mut self) -> Result<u64, BadState> {
        Ok(u64::from_le_bytes(self.fixed()?))
    }

    /// Finite, or the state is wrong.
    pub fn float(&mut self) -> Result<f64, BadState> {
        let value = f64::from_le_bytes(self.fixed()?);
        if value.is_finite() { Ok(value) } else { Err(BadState::Wrong) }
    }

    pub fn small_float(&mut self) -> Result<f32, BadState> {
        let value = f32::from_le_bytes(self.fixed()?);
        if value.is_finite() { Ok(value) } else { Err(BadState::Wrong) }
    }

    pub fn text(&mut self, bytes_max: usize) -> Result<&'a str, BadState> {
        std::str::from_utf8(self.bytes(bytes_max)?).map_err(|_| BadState::Wrong)
    }

    pub fn bytes(&mut self, bytes_max: usize) -> Result<&'a [u8], BadState> {
        let length = self.length(bytes_max)?;
        let (own, rest) = self.0.split_at_checked(length).ok_or(BadState::Short)?;
        self.0 = rest;
        Ok(own)
    }

    /// Nothing may follow.
    pub fn end(self) -> Result<(), BadState> {
        if self.0.is_empty() { Ok(()) } else { Err(BadState::Wrong) }
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], BadState> {
        let (own, rest) = self.0.split_first_chunk::<N>().ok_or(BadState::Short)?;
        self.0 = rest;
        Ok(*own)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::cast_possible_wrap, reason = "tests count small things")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(number: u64, signed: i64, float in -1e300f64..1e300, text: String) {
            let mut out = Writer::new(3);
            out.number(number);
            out.signed(signed);
            out.float(float);
            out.text(&text);
            let bytes = out.finish();
            let mut back = Reader::new(&bytes, 3).unwrap();
            prop_assert_eq!(back.number(), Ok(number));
            prop_assert_eq!(back.signed(), Ok(signed));
            prop_assert_eq!(back.float(), Ok(float));
            prop_assert_eq!(back.text(1 << 20), Ok(text.as_str()));
            prop_assert_eq!(back.end(), Ok(()));
        }

        #[test]
        fn damaged_bytes_are_errors_and_never_panics(bytes: Vec<u8>) {
            if let Ok(mut back) = Reader::new(&bytes, 0) {
                while back.text(100).is_ok() && back.number().is_ok() && back.float().is_ok() {}
            }
        }
    }

    #[test]
    fn a_newer_state_is_refused_by_its_version() {
        assert_eq!(Reader::new(&[9], 1).err(), Some(BadState::Version(9)));
        assert_eq!(Reader::new(&[], 1).err(), Some(BadState::Short));
        assert_eq!(Reader::new(&[1, 255, 255, 3], 1).unwrap().length(1 << 40), Err(BadState::Short));
    }
}
