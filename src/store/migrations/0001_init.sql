-- Format 1. Times are microseconds since the Unix epoch; lists are JSON arrays; `ord` is a note's number.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- `vector_hash`, of a vector that the caller gave, is mixed into `content_hash`.
-- The long columns stand last, so that reading the others does not walk a body's overflow pages.
CREATE TABLE notes (
    ord              INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT NOT NULL UNIQUE,
    title            TEXT NOT NULL,
    path             TEXT,
    namespace        TEXT NOT NULL,
    note_type        TEXT NOT NULL,
    status           TEXT NOT NULL,
    access_scope     TEXT NOT NULL,
    author           TEXT,
    source           TEXT,
    source_url       TEXT,
    confidence       REAL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    expires_at       INTEGER,
    derived_from_ids TEXT NOT NULL,
    supersedes       TEXT,
    key              TEXT,
    content_hash     INTEGER NOT NULL,
    vector_hash      INTEGER,
    tags             TEXT NOT NULL,
    aliases          TEXT NOT NULL,
    links            TEXT NOT NULL,
    metadata         TEXT,
    body             TEXT NOT NULL
) STRICT;

CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    ord INTEGER NOT NULL,
    op  TEXT NOT NULL CHECK (op IN ('put', 'delete', 'state'))
) STRICT;

CREATE TABLE passages (
    ord  INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    idx  INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (ord, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE vectors (
    ord      INTEGER PRIMARY KEY REFERENCES notes (ord) ON DELETE CASCADE,
    passages BLOB NOT NULL,
    data     BLOB NOT NULL
) STRICT;

-- What a note's text says, read once at `put`: the near-duplicate sketch, and links as JSON.
CREATE TABLE derived (
    ord    INTEGER PRIMARY KEY REFERENCES notes (ord) ON DELETE CASCADE,
    sketch BLOB NOT NULL,
    links  TEXT NOT NULL
) STRICT;

-- What callers assert and feedback learns. Links and lineage follow the notes and are not stored.
-- `weight` follows from what was stated (NULL: learned) and from the verdicts after event `since`: how many receipts cited
-- both ends, and how many verdicts called one misleading.
CREATE TABLE edges (
    edge_id        TEXT PRIMARY KEY,
    from_ord       INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    to_ord         INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    type           TEXT NOT NULL,
    namespace      TEXT NOT NULL,
    weight         REAL NOT NULL,
    stated         REAL,
    since          INTEGER NOT NULL,
    raised         INTEGER NOT NULL,
    taken          INTEGER NOT NULL,
    origin         TEXT NOT NULL CHECK (origin IN ('asserted', 'learned')),
    provenance     TEXT,
    evidence       TEXT,
    conflict_state TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    UNIQUE (from_ord, to_ord, type, namespace)
) STRICT;
CREATE INDEX edges_by_to ON edges (to_ord);
CREATE INDEX edges_by_type ON edges (type, namespace);
CREATE INDEX contradictions_by_from ON edges (from_ord) WHERE type = 'contradicts';
CREATE INDEX contradictions_by_to ON edges (to_ord) WHERE type = 'contradicts';

CREATE TABLE node_stats (
    ord                   INTEGER PRIMARY KEY REFERENCES notes (ord) ON DELETE CASCADE,
    salience              REAL NOT NULL,
    strength              REAL NOT NULL,
    cited_count           INTEGER NOT NULL,
    ignored_count         INTEGER NOT NULL,
    misleading_count      INTEGER NOT NULL,
    last_used_at          INTEGER,
    last_decay_applied_at INTEGER
) STRICT;

-- Apart from node_stats because folding receipts writes only this one. `usage_count` leaves repeats out.
CREATE TABLE node_usage (
    ord               INTEGER PRIMARY KEY REFERENCES notes (ord) ON DELETE CASCADE,
    retrieval_count   INTEGER NOT NULL,
    usage_count       INTEGER NOT NULL,
    last_retrieved_at INTEGER
) STRICT;

CREATE TABLE quarantine (
    ord    INTEGER PRIMARY KEY REFERENCES notes (ord) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    at     INTEGER NOT NULL
) STRICT;

-- A receipt's id is a permutation of its seq, so it has no column. `counted` is 0 for a repeat within the hour.
-- No AUTOINCREMENT, which writes one more page per receipt, a fifth of its cost: numbers are not given again because
-- the newest receipt is never deleted. `query_vector` is the one that the caller gave, as int8 codes: what the store
-- embeds itself, it can embed again.
CREATE TABLE receipts (
    seq                   INTEGER PRIMARY KEY,
    ts                    INTEGER NOT NULL,
    query                 TEXT NOT NULL,
    agent_id              TEXT,
    task_id               TEXT,
    counted               INTEGER NOT NULL,
    final_ords            BLOB NOT NULL,
    request               TEXT NOT NULL,
    weights               TEXT NOT NULL,
    scouts_fired          TEXT NOT NULL,
    failed_scouts         TEXT NOT NULL,
    candidates_considered INTEGER NOT NULL,
    conflicts_surfaced    TEXT NOT NULL,
    temperature           REAL NOT NULL,
    terrace_reached       INTEGER NOT NULL,
    widening              TEXT,
    timings               TEXT NOT NULL,
    error                 TEXT,
    query_vector          BLOB,
    final_nodes           TEXT NOT NULL
) STRICT;
CREATE INDEX receipts_by_task ON receipts (task_id, seq) WHERE task_id IS NOT NULL;
CREATE INDEX receipts_by_ts ON receipts (ts);

CREATE TABLE tasks (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT NOT NULL UNIQUE,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    agent       TEXT,
    status      TEXT NOT NULL,
    outcome     TEXT,
    created_at  INTEGER NOT NULL,
    closed_at   INTEGER
) STRICT;

CREATE TABLE findings (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id    TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    agent      TEXT NOT NULL,
    summary    TEXT NOT NULL,
    note_ord   INTEGER REFERENCES notes (ord) ON DELETE SET NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX findings_by_task ON findings (task_id, id);
CREATE INDEX findings_by_note ON findings (note_ord) WHERE note_ord IS NOT NULL;

-- No reference to receipts: a verdict outlives its receipt's retention.
CREATE TABLE verdicts (
    event       INTEGER PRIMARY KEY AUTOINCREMENT,
    receipt_seq INTEGER NOT NULL,
    ord         INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    place       INTEGER NOT NULL,
    namespace   TEXT NOT NULL,
    verdict     TEXT NOT NULL,
    at          INTEGER NOT NULL,
    UNIQUE (receipt_seq, ord)
) STRICT;
CREATE INDEX verdicts_by_note ON verdicts (ord, event);
CREATE INDEX misleading_by_note ON verdicts (ord, event) WHERE verdict = 'misleading';

-- Queries that led to a note: whom each serves (an agent, a task, or everyone), its terms and their weights, its
-- vector as int8 codes, and its verdicts as [receipt, time, cited].
CREATE TABLE traces (
    ord      INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    idx      INTEGER NOT NULL,
    agent_id TEXT,
    task_id  TEXT,
    question TEXT NOT NULL,
    terms    TEXT NOT NULL,
    events   TEXT NOT NULL,
    vector   BLOB,
    PRIMARY KEY (ord, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE working_memory (
    task_id          TEXT NOT NULL,
    ord              INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    activation_count INTEGER NOT NULL,
    first_seen_at    INTEGER NOT NULL,
    last_seen_at     INTEGER NOT NULL,
    last_receipt_seq INTEGER NOT NULL,
    PRIMARY KEY (task_id, ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX working_memory_by_note ON working_memory (ord);

CREATE TABLE coactivation (
    namespace TEXT NOT NULL,
    a_ord     INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    b_ord     INTEGER NOT NULL REFERENCES notes (ord) ON DELETE CASCADE,
    strength  REAL NOT NULL,
    last_at   INTEGER NOT NULL,
    PRIMARY KEY (namespace, a_ord, b_ord),
    CHECK (a_ord < b_ord)
) STRICT, WITHOUT ROWID;
CREATE INDEX coactivation_by_a ON coactivation (a_ord);
CREATE INDEX coactivation_by_b ON coactivation (b_ord);

CREATE TABLE vault_files (
    root    TEXT NOT NULL,
    path    TEXT NOT NULL,
    size    INTEGER NOT NULL,
    mtime   INTEGER NOT NULL,
    hash    TEXT NOT NULL,
    note_id TEXT NOT NULL,
    warnings TEXT NOT NULL,
    PRIMARY KEY (root, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX vault_files_by_note ON vault_files (note_id);
