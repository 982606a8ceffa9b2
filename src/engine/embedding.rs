//! Whose vectors a store holds, and whether this process can make more of them.

use std::sync::Arc;

use rusqlite::Connection;

use crate::config::EmbedderChoice;
use crate::embed::{Embedder, EmbedderIdentity};
use crate::error::{Error, Result};
use crate::store::meta;

/// The embedder in force.
#[derive(Clone, Default)]
pub(crate) struct Embedding {
    /// Whose vectors the store holds; `None` in a store without vectors.
    pub identity: Option<EmbedderIdentity>,
    /// What embeds; `None` where the caller supplies vectors, or the model is not at hand.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Whether the vector scout has nothing to work with, and why.
    pub unavailable: Option<&'static str>,
}

const NO_VECTORS: &str = "the store has no vectors";
const NOT_LOADED: &str = "the store's embedder is not loaded";
const SWITCHED_OFF: &str = "the store was opened without its embedder";

/// The record in the store: an absent one is a store that has not chosen yet.
#[derive(serde::Serialize, serde::Deserialize)]
struct Chosen {
    identity: Option<EmbedderIdentity>,
}

impl Embedding {
    /// Agrees with what the store was made with, or, in a new store, decides it.
    pub(crate) fn agree(choice: &EmbedderChoice, conn: &Connection, read_only: bool) -> Result<Self> {
        let stored: Option<Chosen> = meta::embedder(conn)?;
        let offered = match choice {
            EmbedderChoice::Stored => builtin()?,
            EmbedderChoice::Custom(embedder) => Some(Arc::clone(embedder)),
            EmbedderChoice::None | EmbedderChoice::Supplied(_) => None,
        };
        let offered_identity = match choice {
            EmbedderChoice::Supplied(identity) => Some(identity.clone()),
            _ => offered.as_ref().map(|embedder| embedder.identity().clone()),
        };
        let Some(Chosen { identity: stored }) = stored else {
            if let Some(identity) = &offered_identity
                && identity.dims == 0
            {
                return Err(Error::invalid("expected an embedder of at least one dimension, found 0"));
            }
            if !read_only {
                meta::set_embedder(conn, &Chosen { identity: offered_identity.clone() })?;
            }
            let unavailable = offered_identity.is_none().then_some(NO_VECTORS);
            return Ok(Self { identity: offered_identity, embedder: offered, unavailable });
        };
        let Some(stored) = stored else {
            return match choice {
                EmbedderChoice::Stored | EmbedderChoice::None => {
                    Ok(Self { identity: None, embedder: None, unavailable: Some(NO_VECTORS) })
                }
                EmbedderChoice::Supplied(_) | EmbedderChoice::Custom(_) => Err(Error::Conflict(
                    "the store was made without vectors, and this call offers an embedder; index into a new store, or open it with EmbedderChoice::None".into(),
                )),
            };
        };
        match (choice, offered_identity) {
            (EmbedderChoice::None, _) => {
                Ok(Self { identity: Some(stored), embedder: None, unavailable: Some(SWITCHED_OFF) })
            }
            (_, Some(identity)) if identity == stored => {
                Ok(Self { identity: Some(stored), embedder: offered, unavailable: None })
            }
            (EmbedderChoice::Stored, _) => {
                tracing::warn!(embedder = stored.name, "{NOT_LOADED}; its vector scout is skipped");
                Ok(Self { identity: Some(stored), embedder: None, unavailable: Some(NOT_LOADED) })
            }
            (_, Some(identity)) if identity.dims != stored.dims => {
                Err(Error::DimensionMismatch { expected: stored.dims, got: identity.dims, embedder: stored.name })
            }
            (_, offered) => Err(Error::Conflict(format!(
                "the store's vectors are by {:?} ({}), this call offers {:?}; open it with that model, or index into a new store",
                stored.name,
                stored.hash,
                offered.map(|identity| format!("{} ({})", identity.name, identity.hash)).unwrap_or_default(),
            ))),
        }
    }

    /// The query's vector: the caller's where one is given, else the embedder's; `None` where there is none.
    pub(crate) fn query_vector(&self, text: &str, supplied: Option<&[f32]>) -> Result<Option<Vec<f32>>> {
        let Some(identity) = &self.identity else {
            return match supplied {
                Some(_) => {
                    Err(Error::invalid("this store has no vectors, and the request came with one; leave it out"))
                }
                None => Ok(None),
            };
        };
        match (supplied, &self.embedder) {
            (Some(vector), _) => crate::embed::check_vector(vector, identity),
            (None, Some(embedder)) => match embedder.embed_query(text)? {
                Some(vector) => crate::embed::check_vector(&vector, identity),
                None => Ok(None),
            },
            (None, None) => Ok(None),
        }
    }
}

#[cfg(feature = "builtin-embedder")]
fn builtin() -> Result<Option<Arc<dyn Embedder>>> {
    crate::embed::builtin().map(Some)
}

#[cfg(not(feature = "builtin-embedder"))]
fn builtin() -> Result<Option<Arc<dyn Embedder>>> {
    Ok(None)
}
