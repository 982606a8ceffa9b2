//! The other contracts over the same engine: search and cache lookup.

mod cache;
mod search;
