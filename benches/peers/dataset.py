"""Data sets in BEIR's layout, as `terrace eval` reads them, and the two measures of quality."""

import json
import math
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Note:
    """One line of corpus.jsonl."""

    id: str
    title: str
    text: str

    @property
    def whole(self):
        """Title and text in one: what is indexed where a peer has no field for titles."""
        return f"{self.title}\n{self.text}" if self.title else self.text


def read_notes(directory):
    """The corpus, in file order."""
    return [
        Note(str(line["_id"]), line.get("title") or "", line.get("text") or "")
        for line in _lines(Path(directory) / "corpus.jsonl")
    ]


def read_queries(directory):
    """The queries that have relevant notes: (id, text, relevant), where relevant maps note ids to gains."""
    judged = _read_qrels(directory)
    queries = [(str(line["_id"]), line["text"]) for line in _lines(Path(directory) / "queries.jsonl")]
    return [(id, text, judged[id]) for id, text in queries if id in judged]


def ndcg(found, relevant, k=10):
    """Normalised discounted cumulative gain with linear gains, as trec_eval has it."""
    gains = [relevant.get(id, 0.0) for id in found[:k]]
    best = sorted(relevant.values(), reverse=True)[:k]
    return _discounted(gains) / _discounted(best)


def recall(found, relevant, k=10):
    """The share of the relevant notes that are among the first k."""
    return len(set(found[:k]) & set(relevant)) / len(relevant)


def _discounted(gains):
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def _lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _read_qrels(directory):
    directory = Path(directory)
    path = directory / "qrels.tsv"
    if not path.exists():
        path = directory / "qrels" / "test.tsv"
    judged = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, note, score = line.split("\t")[:3]
        try:
            gain = float(score)
        except ValueError:
            continue  # the header
        if gain > 0:
            judged.setdefault(query, {})[note] = gain
    return judged
