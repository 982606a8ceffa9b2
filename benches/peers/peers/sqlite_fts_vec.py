"""SQLite with FTS5 and sqlite-vec, fused by reciprocal ranks (k = 60) over the first 100 of each."""

try:
    # Many Pythons' own sqlite3 was built without extensions.
    import pysqlite3 as sqlite3
except ImportError:
    import sqlite3

import sqlite_vec

from .base import Base, terms

DEPTH = 100
RRF_K = 60


class Peer(Base):
    """Words by FTS5's bm25() with the porter tokeniser, vectors by a vec0 table's exact scan."""

    package = "sqlite-vec"

    def version(self):
        return f"{super().version()}, SQLite {sqlite3.sqlite_version}"

    def build(self, notes, vectors, directory):
        db = _connect(directory)
        db.executescript(
            f"""PRAGMA journal_mode = WAL;
            CREATE TABLE notes (rowid INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT, body TEXT);
            CREATE VIRTUAL TABLE words USING fts5(title, body, content='notes', tokenize='porter unicode61');
            CREATE VIRTUAL TABLE vectors USING vec0(embedding float[{vectors.shape[1]}] distance_metric=cosine);"""
        )
        with db:
            rows = [(at, note.id, note.title, note.text) for at, note in enumerate(notes, 1)]
            db.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", rows)
            db.executemany("INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)", [(r[0], r[2], r[3]) for r in rows])
            db.executemany(
                "INSERT INTO vectors (rowid, embedding) VALUES (?, ?)",
                [(at, vector.tobytes()) for at, vector in enumerate(vectors, 1)],
            )
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()

    def open(self, directory):
        self.db = _connect(directory)

    def query(self, text, vector, k):
        match = " OR ".join(f'"{term}"' for term in terms(text))
        words = self.db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        ).fetchall()
        near = self.db.execute(
            "SELECT rowid FROM vectors WHERE embedding MATCH ? AND k = ? ORDER BY distance", (vector.tobytes(), DEPTH)
        ).fetchall()
        scores = {}
        for ranking in (words, near):
            for rank, (row,) in enumerate(ranking, 1):
                scores[row] = scores.get(row, 0.0) + 1.0 / (RRF_K + rank)
        best = sorted(scores, key=scores.get, reverse=True)[:k]
        return [self.db.execute("SELECT id FROM notes WHERE rowid = ?", (row,)).fetchone()[0] for row in best]


def _connect(directory):
    db = sqlite3.connect(directory / "notes.db")
    db.enable_load_extension(True)
    sqlite_vec.load(db)
    db.enable_load_extension(False)
    return db
