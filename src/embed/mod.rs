//! From text to vectors.
