"""yantrikdb: its memories with our vectors, recalled by text and vector."""

import json
import time

import yantrikdb

from .base import Base


class Peer(Base):
    """One memory a note, everything else at its defaults; recalls reinforce what they return, as by default."""

    package = "yantrikdb"

    def build(self, notes, vectors, directory):
        db = yantrikdb.YantrikDB(str(directory / "memory.db"), embedding_dim=vectors.shape[1])
        ids = {}
        for note, vector in zip(notes, vectors):
            ids[_recorded(db, note.whole, vector.tolist())] = note.id
        (directory / "ids.json").write_text(json.dumps(ids))
        db.close()

    def open(self, directory):
        dims = 256
        self.db = yantrikdb.YantrikDB(str(directory / "memory.db"), embedding_dim=dims)
        self.ids = json.loads((directory / "ids.json").read_text())

    def query(self, text, vector, k):
        found = self.db.recall(query=text, query_embedding=vector.tolist(), top_k=k)
        return [self.ids[memory["rid"]] for memory in found if memory["rid"] in self.ids]


def _recorded(db, text, vector):
    """Records one memory; waits where the engine says that it is written to too fast."""
    while True:
        try:
            return db.record(text, embedding=vector)
        except yantrikdb.Backpressure:
            time.sleep(0.05)
