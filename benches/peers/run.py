"""Terrace beside its neighbours: one data set, one machine, the same vectors, each peer in a process of its own.

    python run.py --data DIR --terrace BIN [--only A,B] [--runs 5] [--out results.json]

Prints a Markdown table. A peer whose package is missing is named with the reason and left out.
"""

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
#: By module; the share of the queries that is asked is 1 but for peers of a tenth of a second per query.
PEERS = {
    "sqlite_fts_vec": 300,
    "lancedb_hybrid": 300,
    "tantivy_alone": 300,
    "bm25s_alone": 300,
    "hnswlib_alone": 300,
    "numpy_exact": 300,
    "yantrikdb_recall": 100,
}
SEED = 7
COLUMNS = ["nDCG@10", "recall@10", "p50 ms", "p99 ms", "index s", "disk MB", "resident MB", "open ms"]


def main():
    """Measures what was asked for, terrace first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="a data set in BEIR's layout")
    parser.add_argument("--terrace", help="the terrace binary; without it, only the peers")
    parser.add_argument("--only", default=",".join(PEERS), help="peers, separated by commas")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", help="where to keep the figures as JSON")
    options = parser.parse_args()
    rows = {}
    with tempfile.TemporaryDirectory(prefix="peers-") as scratch:
        scratch = Path(scratch)
        if options.terrace:
            rows["terrace"] = terrace(options, scratch / "terrace")
        embed(options.data, scratch)
        for name in filter(None, options.only.split(",")):
            rows[name] = peer(name, options, scratch)
    if options.out:
        Path(options.out).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    print(table(rows))
    print(f"\n{facts()}; seed of samples {SEED}; median of {options.runs} runs; one caller.")


def embed(data, scratch):
    """Writes the vectors of notes and queries, which every peer is given."""
    import numpy

    from dataset import read_notes, read_queries
    from embed import StaticModel

    model = StaticModel()
    numpy.save(scratch / "notes.npy", model.embed_all([note.whole for note in read_notes(data)]))
    numpy.save(scratch / "queries.npy", model.embed_all([text for _, text, _ in read_queries(data)]))


def peer(name, options, scratch):
    """Builds one peer's store and asks it, in two processes; the reason where that fails."""
    store = scratch / name
    store.mkdir()
    common = [name, "--data", options.data, "--vectors", str(scratch), "--store", str(store)]
    common += ["--queries", json.dumps(sample(options.data, PEERS.get(name, 300)))]
    built = worker(["build", *common])
    if "error" in built:
        return built
    asked = worker(["query", *common, "--runs", str(options.runs)])
    return {**built, **asked, "disk_mb": size_mb(store)}


def sample(data, most):
    """Positions of the queries to ask: all, or `most` of them drawn by SEED."""
    from dataset import read_queries

    count = len(read_queries(data))
    return sorted(random.Random(SEED).sample(range(count), most)) if count > most else list(range(count))


def worker(arguments):
    """The JSON document of one worker."""
    quiet = {"MEMVID_TELEMETRY": "0", "ANONYMIZED_TELEMETRY": "False", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(HERE / "worker.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE, env={**os.environ, **quiet}, check=False)
    last = (done.stdout.strip().splitlines() or [""])[-1]
    try:
        return json.loads(last)
    except ValueError:
        return {"error": (done.stderr.strip().splitlines() or ["it printed nothing"])[-1]}


def terrace(options, store):
    """Terrace's own evaluation, once to fill a store and then `runs` times on it; embedding excluded."""
    command = [options.terrace, "eval", options.data, "--json", "--store", str(store)]
    reports = [json.loads(subprocess.check_output(command, text=True)) for _ in range(options.runs + 1)]
    filled, asked = reports[0], reports[1:]
    version = subprocess.check_output([options.terrace, "--version"], text=True).split()[-1]
    return {
        "version": version,
        "ndcg": filled["metrics"]["ndcg@10"]["mean"],
        "recall": filled["metrics"]["recall@10"]["mean"],
        "index_s": filled["index"]["seconds"],
        "runs": [report["latency_embedded_ms"] for report in asked],
        "open_ms": statistics.median(report["open_ms"] for report in asked),
        "rss_mb": statistics.median(report["rss_mb"] for report in asked),
        "disk_mb": size_mb(store),
    }


def size_mb(directory):
    """What a directory's files hold."""
    return sum(path.stat().st_size for path in Path(directory).rglob("*") if path.is_file()) / 1e6


def table(rows):
    """The figures in Markdown."""
    lines = ["| peer | version | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 2) + "|"]
    for name, row in rows.items():
        if "error" in row:
            lines.append(f"| {name} | not measured: {row['error']} |" + " |" * len(COLUMNS))
            continue
        middle = {share: statistics.median(run[share] for run in row["runs"]) for share in ("p50", "p99")}
        figures = [row["ndcg"], row["recall"], middle["p50"], middle["p99"], row["index_s"]]
        figures += [row["disk_mb"], row["rss_mb"], row["open_ms"]]
        shown = [f"{figure:.3f}" if at < 2 else f"{figure:.3g}" for at, figure in enumerate(figures)]
        lines.append(f"| {name} | {row['version']} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def facts():
    """The machine."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
