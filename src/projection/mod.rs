//! What is rebuilt from the store: the catalog, the lexical and vector indexes, the graph, and how they catch up.

pub(crate) mod catalog;
pub(crate) mod eligible;
pub(crate) mod graph;
pub(crate) mod lexical;
mod top;
pub(crate) mod vector;

pub(crate) use catalog::{Catalog, Entry, Filter, Visibility};
pub(crate) use catalog::{Named, NamedHow};
pub(crate) use eligible::Eligible;
pub(crate) use graph::{Graph, GraphEdge, Neighbour, NeighbourKind};

/// A persistent map: a clone shares structure with what it was cloned from.
pub(crate) type Map<K, V> = imbl::GenericHashMap<K, V, rustc_hash::FxBuildHasher, imbl::shared_ptr::DefaultSharedPtr>;
