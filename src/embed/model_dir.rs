//! What a sentence transformer's directory says about the model.

use std::path::{Path, PathBuf};

use candle_transformers::models::bert::Config;

use super::static_model::folder_name;
use crate::embed::Pooling;
use crate::{Error, Result};

/// A directory as sentence-transformers writes it.
pub(super) struct ModelDir {
    path: PathBuf,
}

impl ModelDir {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// The bytes of one of the three files that have to be there.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.path.join(name);
        std::fs::read(&path).map_err(|error| {
            let what = format!(
                "reading {}; a transformer's directory has config.json, model.safetensors and tokenizer.json: download \
                 all three from the model's page, and convert a pytorch_model.bin to safetensors first",
                path.display()
            );
            Error::io(what, error)
        })
    }

    /// The shape of the network.
    pub(super) fn config(&self) -> Result<Config> {
        let json = self.json("config.json")?;
        let kind = json.get("model_type").and_then(serde_json::Value::as_str).unwrap_or("bert").to_owned();
        if kind != "bert" {
            return Err(Error::Unsupported(format!(
                "{} holds a model of the type {kind:?}, terrace runs BERT (all-MiniLM-L6-v2, bge-small-en-v1.5 and \
                 the like); choose one of those, or implement `Embedder` for this one",
                self.path.display()
            )));
        }
        let config: Config = serde_json::from_value(json).map_err(|error| self.unreadable("config.json", &error))?;
        let (width, heads) = (config.hidden_size, config.num_attention_heads);
        if width == 0 || heads == 0 || !width.is_multiple_of(heads) || config.max_position_embeddings < 3 {
            let error = format!(
                "hidden_size {width} is not a multiple of num_attention_heads {heads}, or max_position_embeddings {} \
                 is below 3",
                config.max_position_embeddings
            );
            return Err(self.unreadable("config.json", &error));
        }
        Ok(config)
    }

    /// The pooling that the directory asks for in `1_Pooling/config.json`; the mean if it does not say.
    pub(super) fn pooling(&self) -> Result<Pooling> {
        let name = "1_Pooling/config.json";
        if !self.path.join(name).exists() {
            return Ok(Pooling::Mean);
        }
        let json = self.json(name)?;
        let is = |mode: &str| json.get(mode).and_then(serde_json::Value::as_bool) == Some(true);
        match (is("pooling_mode_cls_token"), is("pooling_mode_mean_tokens")) {
            (true, false) => Ok(Pooling::Cls),
            (false, true) => Ok(Pooling::Mean),
            _ => Err(Error::Unsupported(format!(
                "{} asks for neither mean nor CLS pooling alone; say which to use in `TransformerOptions::pooling`",
                self.path.join(name).display()
            ))),
        }
    }

    /// The last part of the `_name_or_path` in config.json, which stays when the directory is moved, else the
    /// directory's name.
    pub(super) fn name(&self) -> Result<String> {
        let json = self.json("config.json")?;
        let written = json.get("_name_or_path").and_then(serde_json::Value::as_str).unwrap_or_default();
        let last = written.rsplit(['/', '\\']).find(|part| !part.is_empty());
        Ok(last.map_or_else(|| folder_name(&self.path), str::to_owned))
    }

    /// An error about the content of a file.
    pub(super) fn unreadable(&self, name: &str, error: &dyn std::fmt::Display) -> Error {
        Error::invalid(format!(
            "{} is not what a BERT sentence transformer has there: {error}; download it anew",
            self.path.join(name).display()
        ))
    }

    fn json(&self, name: &str) -> Result<serde_json::Value> {
        serde_json::from_slice(&self.read(name)?).map_err(|error| self.unreadable(name, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory(files: &[(&str, &str)]) -> (tempfile::TempDir, ModelDir) {
        let temp = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = temp.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let dir = ModelDir::new(temp.path());
        (temp, dir)
    }

    #[test]
    fn pooling_is_what_the_directory_says_and_the_mean_by_default() {
        let (_temp, dir) = directory(&[]);
        assert_eq!(dir.pooling().unwrap(), Pooling::Mean);
        let (_temp, dir) = directory(&[("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true}"#)]);
        assert_eq!(dir.pooling().unwrap(), Pooling::Cls);
        let (_temp, dir) = directory(&[("1_Pooling/config.json", r#"{"pooling_mode_max_tokens": true}"#)]);
        assert_eq!(dir.pooling().unwrap_err().code(), "unsupported");
    }

    #[test]
    fn the_name_is_the_last_part_of_what_the_config_says() {
        let (_temp, dir) = directory(&[("config.json", r#"{"_name_or_path": "/cache/BAAI_bge-small-en/"}"#)]);
        assert_eq!(dir.name().unwrap(), "BAAI_bge-small-en");
        let (temp, dir) = directory(&[("config.json", "{}")]);
        assert_eq!(dir.name().unwrap(), temp.path().file_name().unwrap().to_str().unwrap());
    }

    #[test]
    fn a_config_without_attention_heads_is_refused() {
        let json = r#"{"vocab_size": 9, "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 0,
            "intermediate_size": 4, "hidden_act": "gelu", "hidden_dropout_prob": 0, "max_position_embeddings": 9,
            "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0}"#;
        let (_temp, dir) = directory(&[("config.json", json)]);
        let error = dir.config().unwrap_err();
        assert!(error.to_string().contains("num_attention_heads 0"), "{error}");
    }

    #[test]
    fn a_model_that_is_not_bert_is_unsupported_by_name() {
        let (_temp, dir) = directory(&[("config.json", r#"{"model_type": "t5"}"#)]);
        let error = dir.config().unwrap_err();
        assert_eq!(error.code(), "unsupported");
        assert!(error.to_string().contains("\"t5\""), "{error}");
    }
}
