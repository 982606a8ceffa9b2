//! The int8 rows of a static model and their scales, as they lie in a safetensors file.

use std::borrow::Cow;
use std::ops::Range;

use safetensors::{Dtype, SafeTensors};

use crate::{Error, Result};

/// Rows above this scale could overflow a sum of some hundred.
const MAX_SCALE: f32 = 1e30;

/// Far more than any embedder has.
const MAX_DIMS: usize = 65_536;

/// A matrix of int8 rows, each with the factor that makes it a vector.
pub(super) struct Table {
    /// The whole file; a compiled-in one stays where the program has it, and only rows that are used are paged in.
    file: Cow<'static, [u8]>,
    codes: Range<usize>,
    scales: Vec<f32>,
    dims: usize,
}

impl Table {
    /// Reads the tensors `embeddings` (I8, rows × dimensions) and `scales` (F32, rows).
    pub(super) fn read(file: Cow<'static, [u8]>) -> Result<Self> {
        let damaged = |found: String| {
            Error::InvalidInput(format!(
                "the static model's weights: {found}; expected the tensors `embeddings` (I8, rows × dimensions) and \
                 `scales` (F32, one a row); copy model.safetensors anew"
            ))
        };
        let unreadable = |error: safetensors::SafeTensorError| damaged(error.to_string());
        let (header, metadata) = SafeTensors::read_metadata(&file).map_err(unreadable)?;
        let tensor = |name: &str, dtype: Dtype| {
            let info = metadata.info(name).ok_or_else(|| damaged(format!("no tensor `{name}`")))?;
            if info.dtype != dtype {
                return Err(damaged(format!("`{name}` is {:?}", info.dtype)));
            }
            // The offsets count from the end of the header, which stands behind its own length in 8 bytes.
            let (start, end) = info.data_offsets;
            let range = header + 8 + start..header + 8 + end;
            let bytes = file.get(range.clone()).ok_or_else(|| damaged(format!("`{name}` is cut short")))?;
            Ok((info.shape.as_slice(), range, bytes))
        };
        let (shape, codes, _) = tensor("embeddings", Dtype::I8)?;
        let &[rows, dims @ 1..=MAX_DIMS] = shape else {
            return Err(damaged(format!("`embeddings` has the shape {shape:?}")));
        };
        let (shape, _, bytes) = tensor("scales", Dtype::F32)?;
        if shape != [rows] {
            return Err(damaged(format!("`scales` has the shape {shape:?} for {rows} rows")));
        }
        let (scales, _) = bytes.as_chunks();
        let scales: Vec<f32> = scales.iter().map(|&scale| f32::from_le_bytes(scale)).collect();
        if let Some(row) = scales.iter().position(|scale| scale.is_nan() || scale.abs() > MAX_SCALE) {
            return Err(damaged(format!("the scale of row {row} is not finite or too large")));
        }
        Ok(Self { file, codes, scales, dims })
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }

    /// The width of a row.
    pub(super) fn dims(&self) -> usize {
        self.dims
    }

    /// The sum of rows, added up in their order so that equal texts have equal bits. Rows that do not exist add
    /// nothing.
    pub(super) fn sum(&self, rows: &[u32]) -> Vec<f32> {
        let mut sum = vec![0.0; self.dims];
        let codes = self.file.get(self.codes.clone()).unwrap_or_default();
        for row in rows.iter().map(|&row| row as usize) {
            let range = row * self.dims..(row + 1) * self.dims;
            let (Some(row_codes), Some(&scale)) = (codes.get(range), self.scales.get(row)) else { continue };
            for (total, &code) in sum.iter_mut().zip(row_codes) {
                *total += f32::from(code.cast_signed()) * scale;
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of two dimensions, the last `cut` bytes missing.
    fn file(dtype: &str, scale: f32, cut: usize) -> Cow<'static, [u8]> {
        let header = format!(
            r#"{{"embeddings":{{"dtype":"{dtype}","shape":[2,2],"data_offsets":[0,4]}},"scales":{{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}}}"#
        );
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header.as_bytes());
        bytes.extend([0, 0, 3, 252]);
        bytes.extend([0f32, scale].iter().flat_map(|scale| scale.to_le_bytes()));
        bytes.truncate(bytes.len() - cut);
        bytes.into()
    }

    #[test]
    fn rows_are_signed_scaled_and_summed() {
        let table = Table::read(file("I8", 0.5, 0)).unwrap();
        assert_eq!(table.sum(&[1, 0, 1, 7]), [3.0, -4.0]);
    }

    #[test]
    fn damaged_weights_are_refused_and_say_what_is_wrong() {
        for (bytes, found) in [
            (file("U8", 0.5, 0), "`embeddings` is U8"),
            (file("I8", f32::NAN, 0), "scale of row 1"),
            (file("I8", 0.5, 3), "model.safetensors anew"),
            (b"not a model".as_slice().into(), "model.safetensors anew"),
        ] {
            let Err(error) = Table::read(bytes) else { panic!("accepted: {found}") };
            assert!(error.to_string().contains(found), "{error}");
        }
    }
}
