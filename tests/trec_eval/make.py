"""Makes run.trec, qrels.txt and expected.tsv. See README.md."""

import random

import pytrec_eval

MEASURES = {
    "ndcg_cut.10", "ndcg_cut.3", "recall.10", "recall.100", "recip_rank", "map", "success.10",
}

rng = random.Random(7)
qrels, run = {}, {}
for number in range(1, 41):
    query = f"q{number}"
    docs = [f"d{number}-{at}" for at in range(rng.randint(1, 260))]
    graded = rng.sample(docs, min(len(docs), rng.randint(1, 30)))
    qrels[query] = {doc: rng.choice([-1, 0, 0, 1, 1, 1, 2, 3]) for doc in graded}
    for at in range(rng.randint(0, 3)):  # relevant, never retrieved
        qrels[query][f"missing{number}-{at}"] = 1
    found = rng.sample(docs, min(len(docs), rng.randint(1, 100)))
    # Better documents tend to come first; scores are distinct, since trec_eval orders ties by name.
    found.sort(key=lambda doc: qrels[query].get(doc, 0) + rng.gauss(0, 1.5), reverse=True)
    run[query] = {doc: round(1 - at / 1000 - number / 1e6, 6) for at, doc in enumerate(found)}
qrels["q41"], run["q41"] = {"d41-0": 0, "d41-1": -1}, {"d41-0": 0.5}  # nothing relevant

with open("qrels.txt", "w") as out:
    for query, judged in qrels.items():
        for doc, score in judged.items():
            out.write(f"{query}\t0\t{doc}\t{score}\n")
with open("run.trec", "w") as out:
    for query, ranked in run.items():
        for rank, (doc, score) in enumerate(ranked.items(), 1):
            out.write(f"{query} Q0 {doc} {rank} {score:.6f} made\n")

values = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
names = sorted(next(iter(values.values())))
with open("expected.tsv", "w") as out:
    out.write("query\t" + "\t".join(names) + "\n")
    for query in run:
        out.write(query + "".join(f"\t{values[query][name]:.6f}" for name in names) + "\n")
