//! What a vector must be before anything searches it.

use crate::embed::EmbedderIdentity;
use crate::{Error, Result};

/// Checks a vector against its embedder's identity and makes its length 1.
///
/// A zero vector says nothing about direction and is `None`. Components as large as `f32::MAX` or as small as the
/// subnormals are fine: the length is taken in `f64`, where their squares neither overflow nor vanish.
///
/// # Errors
///
/// [`Error::DimensionMismatch`] if the width is not the identity's, [`Error::InvalidInput`] naming the first
/// component that is not finite.
///
/// ```
/// use terrace::embed::{EmbedderIdentity, check_vector};
///
/// # fn main() -> terrace::Result<()> {
/// let identity = EmbedderIdentity { name: "mine".into(), hash: "1".into(), dims: 2 };
/// assert_eq!(check_vector(&[3.0, 4.0], &identity)?, Some(vec![0.6, 0.8]));
/// assert_eq!(check_vector(&[0.0, 0.0], &identity)?, None);
/// assert!(check_vector(&[1.0, f32::NAN], &identity).is_err());
/// # Ok(())
/// # }
/// ```
pub fn check_vector(v: &[f32], identity: &EmbedderIdentity) -> Result<Option<Vec<f32>>> {
    if v.len() != identity.dims {
        return Err(Error::DimensionMismatch {
            expected: identity.dims,
            got: v.len(),
            embedder: identity.name.clone(),
        });
    }
    if let Some((index, value)) = v.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        return Err(Error::invalid(format!(
            "component {index} of a vector for embedder {:?} is {value}, expected a finite number; \
             look for a division by zero or an overflow where the vector is made",
            identity.name
        )));
    }
    Ok(unit(v))
}

/// The vector of length 1 in the same direction; `None` for the zero vector. All components must be finite.
pub(super) fn unit(v: &[f32]) -> Option<Vec<f32>> {
    let length = v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    (length > 0.0).then(|| v.iter().map(|&x| (f64::from(x) / length) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_wide() -> EmbedderIdentity {
        EmbedderIdentity { name: "test".into(), hash: String::new(), dims: 3 }
    }

    #[test]
    fn a_wrong_width_is_a_dimension_mismatch() {
        let error = check_vector(&[1.0, 0.0], &three_wide()).unwrap_err();
        assert!(matches!(error, Error::DimensionMismatch { expected: 3, got: 2, .. }), "{error}");
    }

    #[test]
    fn a_component_that_is_not_finite_is_named() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let error = check_vector(&[1.0, bad, 0.0], &three_wide()).unwrap_err();
            assert_eq!(error.code(), "invalid_input");
            assert!(error.to_string().contains("component 1"), "{error}");
        }
    }

    #[test]
    fn a_zero_vector_is_no_vector() {
        assert_eq!(check_vector(&[0.0, -0.0, 0.0], &three_wide()).unwrap(), None);
    }

    #[test]
    fn huge_and_tiny_components_get_length_one() {
        for scale in [f32::MAX, 1e38, 1.0, 1e-30, f32::from_bits(1)] {
            let v = check_vector(&[scale, -scale, scale], &three_wide()).unwrap().unwrap();
            let expected = 1.0 / 3f32.sqrt();
            for (got, sign) in v.iter().zip([1.0, -1.0, 1.0]) {
                assert!((got - sign * expected).abs() < 1e-6, "{scale} gave {v:?}");
            }
        }
    }
}
