"""terrace's built-in model in numpy, so that every peer gets the same vectors.

Follows data/static-en-256/FORMAT.md. `python embed.py` checks it against the model's reference.json.
"""

import json
import sys
import unicodedata
from functools import lru_cache
from pathlib import Path

import numpy as np

MODEL = Path(__file__).resolve().parents[2] / "data" / "static-en-256"
MAX_TOKENS = 512
MAX_CHARS = 100
DIMS = 256
CJK = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2CEAF), (0x2F800, 0x2FA1F))


class StaticModel:
    """A table of token vectors; a text's vector is the normalised sum of its tokens' rows."""

    def __init__(self, directory=MODEL):
        self.table = _read_table(directory / "model.safetensors")
        pieces = (directory / "vocab.txt").read_text(encoding="utf-8").split("\n")
        if pieces[-1] == "":
            pieces.pop()
        self.rows = {piece: row for row, piece in enumerate(pieces)}
        self.longest = max(map(len, pieces))
        self._split = lru_cache(maxsize=200_000)(self._split_word)

    def tokens(self, text):
        """The rows of a text's first 512 tokens."""
        rows = []
        for word in words(text):
            rows.extend(self._split(word))
            if len(rows) >= MAX_TOKENS:
                break
        return rows[:MAX_TOKENS]

    def embed(self, text):
        """A text's vector of length 1; zeros where it has no known word."""
        total = self.table[self.tokens(text)].sum(axis=0, dtype=np.float32)
        length = np.linalg.norm(total.astype(np.float64))
        return (total / length).astype(np.float32) if length > 0 else np.zeros(DIMS, np.float32)

    def embed_all(self, texts):
        """The vectors of many texts, one a row."""
        return np.array([self.embed(text) for text in texts], np.float32).reshape(len(texts), DIMS)

    def _split_word(self, word):
        """The rows of a word's pieces, the longest first; [UNK] where they do not make it up."""
        if len(word) > MAX_CHARS:
            return (0,)
        rows, start = [], 0
        while start < len(word):
            marker = "##" if start else ""
            for end in range(min(len(word), start + self.longest), start, -1):
                row = self.rows.get(marker + word[start:end])
                if row is not None:
                    break
            else:
                return (0,)
            rows.append(row)
            start = end
        return tuple(rows)


def words(text):
    """The words of a text: cleaned, without accents, in lower case, punctuation apart."""
    plain = "".join(filter(None, map(_cleaned, text)))
    plain = "".join(c for c in unicodedata.normalize("NFD", plain) if unicodedata.category(c) != "Mn")
    return "".join(f" {c} " if _is_punctuation(c) else c for c in plain.lower()).split()


@lru_cache(maxsize=None)
def _cleaned(c):
    if c in "\t\n\r":
        return " "
    if c in "\0\ufffd" or unicodedata.category(c) in ("Cc", "Cf"):
        return ""
    return f" {c} " if any(low <= ord(c) <= high for low, high in CJK) else c


@lru_cache(maxsize=None)
def _is_punctuation(c):
    code = ord(c)
    ascii_symbol = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    return ascii_symbol or unicodedata.category(c).startswith("P")


def _read_table(path):
    """Dequantised rows, read from the safetensors file by hand: 8 bytes of length, a JSON header, the tensors."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])

    def tensor(name, dtype):
        start, end = header[name]["data_offsets"]
        return np.frombuffer(data[8 + size + start : 8 + size + end], dtype).reshape(header[name]["shape"])

    return tensor("embeddings", np.int8).astype(np.float32) * tensor("scales", np.float32)[:, None]


def check():
    """Compares tokens and vectors with the reference; returns the largest difference of a component."""
    model, worst = StaticModel(), 0.0
    items = json.loads((MODEL / "reference.json").read_text(encoding="utf-8"))["items"]
    for item in items:
        tokens = model.tokens(item["text"])
        if tokens != item["token_ids"]:
            raise SystemExit(f"other tokens for {item['text']!r}: {tokens}")
        if item.get("first8"):
            worst = max(worst, np.abs(model.embed(item["text"])[:8] - np.array(item["first8"])).max())
    return len(items), float(worst)


if __name__ == "__main__":
    count, worst = check()
    print(f"{count} reference texts: equal tokens, components within {worst:.1e}")
    sys.exit(worst > 2e-5)
