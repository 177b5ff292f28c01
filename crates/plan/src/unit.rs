//! A die already thrown: a number in [0, 1) handed in by the caller.

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit(f64);

impl Unit {
    pub const MIDDLE: Unit = Unit(0.5);

    /// Anything outside [0, 1), NaN included, becomes the nearest end.
    pub fn new(value: f64) -> Self {
        if value.is_nan() { Unit(0.0) } else { Unit(value.clamp(0.0, 1.0 - f64::EPSILON)) }
    }

    pub fn value(self) -> f64 {
        self.0
    }

    /// The same die on the scale [-1, 1).
    pub fn centred(self) -> f64 {
        2.0 * self.0 - 1.0
    }
}
