//! The embedders that the command line can name.

use std::path::PathBuf;
use std::str::FromStr;

use terrace::{EmbedderChoice, Result};

/// `static`, `none` or `transformer:DIR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EmbedderName {
    Static,
    None,
    Transformer(PathBuf),
}

impl FromStr for EmbedderName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name.split_once(':') {
            None if name == "static" => Ok(Self::Static),
            None if name == "none" => Ok(Self::None),
            Some(("transformer", dir)) if !dir.is_empty() => Ok(Self::Transformer(dir.into())),
            _ => Err("expected static, none or transformer:DIR".to_owned()),
        }
    }
}

impl EmbedderName {
    /// The embedder itself.
    pub(crate) fn choice(&self) -> Result<EmbedderChoice> {
        match self {
            Self::Static => builtin(),
            Self::None => Ok(EmbedderChoice::None),
            Self::Transformer(dir) => transformer(dir),
        }
    }
}

#[cfg(feature = "builtin-embedder")]
fn builtin() -> Result<EmbedderChoice> {
    Ok(EmbedderChoice::Custom(terrace::embed::builtin()?))
}

#[cfg(not(feature = "builtin-embedder"))]
fn builtin() -> Result<EmbedderChoice> {
    Err(terrace::Error::Unsupported(
        "this build has no built-in model; build it with feature builtin-embedder, or use --embedder none".into(),
    ))
}

#[cfg(feature = "transformer")]
fn transformer(dir: &std::path::Path) -> Result<EmbedderChoice> {
    let model = terrace::embed::TransformerEmbedder::open(dir, terrace::embed::TransformerOptions::default())?;
    Ok(EmbedderChoice::Custom(std::sync::Arc::new(model)))
}

#[cfg(not(feature = "transformer"))]
fn transformer(dir: &std::path::Path) -> Result<EmbedderChoice> {
    Err(terrace::Error::Unsupported(format!(
        "this build runs no sentence transformers, and {} was asked for; build it with feature transformer",
        dir.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms_of_an_embedder_are_read_and_nothing_else() {
        assert_eq!("static".parse(), Ok(EmbedderName::Static));
        assert_eq!("none".parse(), Ok(EmbedderName::None));
        assert_eq!("transformer:C:\\m".parse(), Ok(EmbedderName::Transformer("C:\\m".into())));
        for bad in ["", "Static", "transformer", "transformer:", "static:", "onnx:dir"] {
            assert!(bad.parse::<EmbedderName>().is_err(), "{bad:?}");
        }
    }
}
