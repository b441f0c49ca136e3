//! Positive numbers of any magnitude, for probabilities of long texts. Only additions and multiplications, which every
//! machine rounds alike: the exponential function and the logarithm of a system's library differ in their last bits,
//! and so would samples.

/// The natural logarithm of 2 in two parts, the first with so few digits that its product with an exponent is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// `mantissa · 2^exponent`; the mantissa is in 1.0..2.0, or 0.0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    mantissa: f64,
    exponent: i64,
}

impl Scaled {
    /// 0.
    pub const ZERO: Self = Self { mantissa: 0.0, exponent: 0 };

    /// 1.
    pub const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Returns `e^x` to within some 1e-15 of its size; `x` counts as at most 1e12 either way, and as 0 if it is no
    /// number.
    pub fn exp(x: f64) -> Self {
        let x = if x.is_nan() { 0.0 } else { x.clamp(-1e12, 1e12) };
        let exponent = (x * std::f64::consts::LOG2_E).floor();
        let rest = (x - exponent * LN_2_HIGH) - exponent * LN_2_LOW;
        let mut sum = 1.0;
        for n in (1..=20_u32).rev() {
            sum = 1.0 + sum * rest / f64::from(n);
        }
        Self { mantissa: sum, exponent: exponent as i64 }.normalized()
    }

    /// Returns the product of both.
    pub fn times(self, other: Self) -> Self {
        let exponent = self.exponent + other.exponent;
        Self { mantissa: self.mantissa * other.mantissa, exponent }.normalized()
    }

    /// Returns the sum of both.
    pub fn plus(self, other: Self) -> Self {
        let (large, small) = if self.is_below(other) { (other, self) } else { (self, other) };
        let shifted = small.mantissa * power_of_two(small.exponent - large.exponent);
        Self { mantissa: large.mantissa + shifted, exponent: large.exponent }.normalized()
    }

    /// Returns how large a part of `whole`, a sum that this is in, this is.
    pub fn part_of(self, whole: Self) -> f64 {
        if whole.mantissa == 0.0 {
            return 0.0;
        }
        self.mantissa / whole.mantissa * power_of_two(self.exponent - whole.exponent)
    }

    fn is_below(self, other: Self) -> bool {
        self.mantissa == 0.0 || (other.mantissa != 0.0 && self.exponent < other.exponent)
    }

    fn normalized(mut self) -> Self {
        if self.mantissa <= 0.0 {
            return Self::ZERO;
        }
        while self.mantissa >= 2.0 {
            self.mantissa *= 0.5;
            self.exponent += 1;
        }
        while self.mantissa < 1.0 {
            self.mantissa *= 2.0;
            self.exponent -= 1;
        }
        self
    }
}

/// Returns `2^exponent` for an exponent of at most 1; 0 where that is far below what a sum can show.
fn power_of_two(exponent: i64) -> f64 {
    match u64::try_from(exponent + 1023) {
        Ok(biased @ 1..=1024) => f64::from_bits(biased << 52),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
        for x in [-700.0, -20.5, -1.0, -1e-9, 0.0, 1e-9, 0.5, 1.0, 10.25, 600.0] {
            let found = Scaled::exp(x);
            let value = found.mantissa * 2_f64.powi(found.exponent as i32);
            assert!((value / x.exp() - 1.0).abs() < 1e-13, "{x}: {value}");
        }
        let (a, b) = (Scaled::exp(-5000.0), Scaled::exp(-5001.0));
        assert!((b.part_of(a.plus(b)) - 1.0 / (1.0 + 1_f64.exp())).abs() < 1e-12);
        assert_eq!(Scaled::ZERO.plus(a), a);
        assert!((a.times(Scaled::exp(5000.0)).part_of(Scaled::ONE) - 1.0).abs() < 1e-11);
    }
}
