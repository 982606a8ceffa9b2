"""One peer in a process of its own: `build` fills its store, `query` opens it, asks and measures.

Prints one JSON document on the last line of standard output; run.py reads it.
"""

import argparse
import importlib
import json
import os
import time
from pathlib import Path

K = 10


def main():
    """Runs one phase for one peer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("phase", choices=["build", "query"])
    parser.add_argument("peer")
    parser.add_argument("--data", required=True)
    parser.add_argument("--vectors", required=True, help="the directory with notes.npy and queries.npy")
    parser.add_argument("--store", required=True)
    parser.add_argument("--queries", required=True, help="positions of the judged queries to ask, as a JSON list")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    before = time.perf_counter()
    peer = importlib.import_module(f"peers.{options.peer}").Peer()
    import_ms = (time.perf_counter() - before) * 1e3
    result = build(peer, options) if options.phase == "build" else query(peer, options)
    # A peer's background threads must not keep the process, so it ends here, its store closed.
    print(json.dumps({"version": peer.version(), "import_ms": import_ms, **result}), flush=True)
    os._exit(0)


def build(peer, options):
    """Fills the peer's store; embedding is done before and no part of it."""
    import numpy

    from dataset import read_notes

    notes = read_notes(options.data)
    vectors = numpy.load(Path(options.vectors) / "notes.npy")
    peer.prepare(options)
    started = time.perf_counter()
    peer.build(notes, vectors, Path(options.store))
    return {"index_s": time.perf_counter() - started}


def query(peer, options):
    """Opens the store, asks every query once to warm up and to judge, then `runs` times against the clock."""
    import numpy

    from dataset import ndcg, read_queries, recall

    queries = read_queries(options.data)
    vectors = numpy.load(Path(options.vectors) / "queries.npy")
    asked = [(*queries[at], vectors[at]) for at in json.loads(options.queries)]
    peer.prepare(options)
    started = time.perf_counter()
    peer.open(Path(options.store))
    open_ms = (time.perf_counter() - started) * 1e3
    started = time.perf_counter()
    peer.query(asked[0][1], asked[0][3], K)
    first_query_ms = (time.perf_counter() - started) * 1e3
    found = [peer.query(text, vector, K) for _, text, _, vector in asked]
    runs = []
    for _ in range(options.runs):
        millis = []
        for _, text, _, vector in asked:
            started = time.perf_counter()
            peer.query(text, vector, K)
            millis.append((time.perf_counter() - started) * 1e3)
        runs.append({"p50": percentile(millis, 0.50), "p99": percentile(millis, 0.99)})
    pairs = [(ids, relevant) for ids, (_, _, relevant, _) in zip(found, asked)]
    return {
        "queries": len(asked),
        "ndcg": sum(ndcg(*pair, K) for pair in pairs) / len(pairs),
        "recall": sum(recall(*pair, K) for pair in pairs) / len(pairs),
        "open_ms": open_ms,
        "first_query_ms": first_query_ms,
        "runs": runs,
        "rss_mb": resident_mb(),
    }


def percentile(values, share):
    """By the nearest rank, as terrace's own reports have it."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)]


def resident_mb():
    """Resident memory of this process and of those it started."""
    import psutil

    me = psutil.Process()
    return sum(process.memory_info().rss for process in [me, *me.children(recursive=True)]) / 2**20


if __name__ == "__main__":
    main()
