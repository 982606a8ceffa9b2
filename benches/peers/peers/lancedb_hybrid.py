"""LanceDB: hybrid search of its full-text index and its vectors, fused by its RRF reranker."""

import lancedb
import pyarrow as pa
from lancedb.rerankers import RRFReranker

from .base import Base, terms


class Peer(Base):
    """No vector index: its documentation advises one from some 100 000 rows on, below that the scan is exact."""

    package = "lancedb"

    def build(self, notes, vectors, directory):
        table = pa.table(
            {
                "id": [note.id for note in notes],
                "text": [note.whole for note in notes],
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1]),
            }
        )
        made = lancedb.connect(str(directory)).create_table("notes", data=table)
        made.create_fts_index("text", replace=True)
        made.optimize()

    def open(self, directory):
        self.table = lancedb.connect(str(directory)).open_table("notes")
        self.reranker = RRFReranker()

    def query(self, text, vector, k):
        found = (
            self.table.search(query_type="hybrid", vector_column_name="vector", fts_columns="text")
            .vector(vector)
            .text(" ".join(terms(text)))
            .distance_type("cosine")
            .rerank(self.reranker)
            .select(["id"])
            .limit(k)
            .to_arrow()
        )
        return found["id"].to_pylist()
