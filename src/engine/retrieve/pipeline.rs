//! The ranking itself: from a validated request to the ordered notes, with everything their scores are made of.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::ask::STEADY_LIMIT;
use super::{Ask, Purpose, Stopwatch};
use crate::engine::sources::{Associations, Links, TaskNotes, Vectors};
use crate::engine::{Engine, Snapshot};
use crate::error::Result;
use crate::memory::NodeState;
use crate::memory::weights::Weights;
use crate::model::{Ordinal, SearchMode};
use crate::projection::{Entry, Visibility};
use crate::rank::{self, Deltas, Ranked, RerankInput, Scale};
use crate::scouts::{Answer, Candidate, Notes, PanelOutcome, PerScout, Query, ScoutKind, Sources, guarded, spread};
use crate::store::passages;
use crate::text;

/// What widening did.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Widening {
    pub seeds: usize,
    pub depth: usize,
    pub added: usize,
}

/// The outcome of a ranking.
pub(crate) struct Ranking {
    pub snapshot: Arc<Snapshot>,
    /// Best first, at most `limit`.
    pub ranked: Vec<Ranked>,
    pub terms: Vec<text::QueryTerm>,
    /// The first wave's best, which seeded the second.
    pub seeds: Vec<Ordinal>,
    pub candidates: usize,
    pub temperature: f64,
    pub terrace: u8,
    pub widening: Option<Widening>,
    pub fired: Vec<String>,
    pub skipped: Vec<String>,
    pub failed: Vec<String>,
    /// What each scout proposed, and why.
    pub panel: PanelOutcome,
    /// The weights of the scouts and of what the rerank factors are multiples of.
    pub weights: Weights,
}

impl Engine {
    /// Eligibility, scouts, fusion, the second graph wave, reranking and diversity.
    pub(crate) fn rank(&self, ask: &Ask<'_>, watch: &mut Stopwatch) -> Result<Ranking> {
        let mut query = Query::new(ask.query, ask.now, ask.depth);
        // Punctuation has no meaning of its own, though a model would give it a vector: it answers as blank does.
        if !query.terms.is_empty() || ask.vector.is_some() {
            query.vector = self.embedding().query_vector(ask.query, ask.vector)?;
        }
        query.task_id = if ask.purpose == Purpose::Retrieve { ask.viewer.task_id() } else { None };
        query.tag_filter = !ask.filter.tags.is_empty();
        query.path_filter = ask.filter.path_prefix.is_some();
        watch.lap("embed");
        let lexical_state = self.commit_lexical();
        watch.lap("commit");
        let snapshot = self.snapshot();
        let visibility = Visibility { viewer: &ask.viewer, include_inactive: ask.include_inactive };
        let visible_set = snapshot.catalog.visible(&visibility);
        let visible = snapshot.catalog.eligible(&visible_set);
        let eligible = match &ask.filter {
            filter if filter.is_empty() => visible.clone(),
            filter => snapshot.catalog.eligible(&snapshot.catalog.filtered(&visible_set, filter)),
        };
        watch.lap("eligibility");
        let memory = (ask.purpose == Purpose::Retrieve).then(|| self.memory());
        let words = self.words(lexical_state);
        let vectors = Vectors {
            index: snapshot.vectors.as_ref(),
            kind: self.config().vector.index,
            unavailable: self.embedding().unavailable,
        };
        let links = Links { snapshot: &snapshot, memory };
        let task = TaskNotes { store: self.store(), snapshot: &snapshot, memory: self.memory() };
        let association = Associations { memory: self.memory(), viewer: &ask.viewer, words: &*words };
        let sources = Sources {
            eligible: &eligible,
            visible: &visible,
            notes: &snapshot.catalog,
            lexical: &*words,
            vector: &vectors,
            links: &links,
            task: &task,
            association: &association,
            named: OnceLock::new(),
        };
        let wanted = ask.scouts();
        let mut panel = self.panel.run(wanted, &query, &sources);
        watch.lap("scouts");
        for (kind, run) in panel.runs.iter() {
            if let Some(run) = run {
                watch.add(kind.name(), run.micros);
            }
        }
        let scale = Scale {
            idf_sum: sources.lexical.idf_sum(&query.terms).unwrap_or_default(),
            kappa: self.config().ranking.lexical_kappa,
        };
        let learned = self.weights_for(ask.purpose);
        let fusion = Fusion { weights: ask.weights(learned.scouts.map(|weight| weight as f32)), scale };
        let mut wave = fusion.fuse(&panel, &snapshot);
        let similarity = |a, b| snapshot.vectors.as_ref().and_then(|vectors| vectors.similarity(a, b));
        let temperature = rank::temperature(&wave, similarity);
        let mut terrace = u8::from(!wave.is_empty());
        let mut widening = None;
        let mut context_nodes = ask.context_nodes;
        watch.lap("fuse");
        if terrace > 0 && temperature > self.config().lcma.widen_above {
            query.depth = ask.depth * 2;
            context_nodes *= 2;
            let before: FxHashSet<Ordinal> = wave.iter().map(|candidate| candidate.ord).collect();
            self.search_deeper(&mut panel, &query, &sources);
            wave = fusion.fuse(&panel, &snapshot);
            let added = wave.iter().filter(|candidate| !before.contains(&candidate.ord)).count();
            terrace = if added > 0 { 2 } else { 1 };
            widening = Some(Widening { seeds: context_nodes, depth: query.depth, added });
            watch.lap("widen");
        }
        let seeds: Vec<Ordinal> = wave.iter().take(context_nodes).map(|candidate| candidate.ord).collect();
        if panel.ran(ScoutKind::Graph) {
            let run = guarded(ScoutKind::Graph, &sources, || {
                let second = second_wave(&wave, context_nodes, &fusion.weights, &query, &sources);
                Ok(Answer::Found(merge(panel.found(ScoutKind::Graph), second, query.depth, &sources)))
            });
            panel.again(ScoutKind::Graph, run);
            wave = match ask.purpose {
                Purpose::Search(SearchMode::Graph) => fusion.alone(ScoutKind::Graph, &panel, &snapshot),
                _ => fusion.fuse(&panel, &snapshot),
            };
            watch.lap("scout_graph");
        }
        let candidates = wave.len();
        self.rerank(&mut wave, ask, &snapshot, &seeds, &learned);
        watch.lap("rerank");
        self.diversify(&mut wave, ask, &snapshot)?;
        wave.truncate(ask.window.unwrap_or(ask.limit));
        watch.lap("diversify");
        let (fired, skipped, failed) = panel.names();
        let (terms, ranked) = (query.terms, wave);
        drop(visible);
        Ok(Ranking {
            ranked,
            terms,
            seeds,
            candidates,
            temperature,
            terrace,
            widening,
            fired,
            skipped,
            failed,
            panel,
            weights: learned,
            snapshot,
        })
    }

    /// Runs the two scouts whose pools have a depth once more.
    fn search_deeper(&self, panel: &mut PanelOutcome, query: &Query<'_>, sources: &Sources<'_>) {
        let deeper = [ScoutKind::Lexical, ScoutKind::Vector];
        let deeper: Vec<ScoutKind> = deeper.into_iter().filter(|kind| panel.ran(*kind)).collect();
        let mut runs = self.panel.run(&deeper, query, sources).runs;
        for kind in deeper {
            if let Some(run) = runs.get_mut(kind).take() {
                panel.again(kind, run);
            }
        }
    }

    fn rerank(&self, wave: &mut [Ranked], ask: &Ask<'_>, snapshot: &Snapshot, seeds: &[Ordinal], weights: &Weights) {
        let memory = self.memory();
        let config = memory.config();
        let with_memory = ask.purpose == Purpose::Retrieve;
        let habits = if with_memory { self.habits_with(seeds) } else { FxHashMap::default() };
        let nodes = memory.nodes.read();
        let usage = memory.usage.read();
        let factors = Deltas::by_name(|name| weights.factor(name));
        let fresh = NodeState::new(config);
        for candidate in wave.iter_mut() {
            let Some(entry) = snapshot.entry(candidate.ord) else { continue };
            let node = nodes.get(&candidate.ord).filter(|_| with_memory);
            let input = RerankInput {
                salience: if with_memory {
                    node.unwrap_or(&fresh).salience_at(ask.now, entry.created_at, config)
                } else {
                    0.5
                },
                usage: usage
                    .get(&candidate.ord)
                    .filter(|_| with_memory)
                    .map_or(0.0, |usage| usage.score(node.and_then(|node| node.last_used_at), ask.now)),
                updated_at: entry.updated_at,
                now: ask.now,
                note_type: &entry.note_type,
                status: entry.status,
                affinity: candidate.parts.graph.as_ref().map_or(0.0, |part| f64::from(part.calibrated)),
                coactivation: habits.get(&candidate.ord).map_or(0.0, |strength| strength / (strength + 5.0)),
            };
            rank::rerank(candidate, &input, &self.config().ranking, &factors);
        }
        rank::sort(wave, &snapshot.catalog);
    }

    /// How habitually notes were retrieved with the seeds.
    fn habits_with(&self, seeds: &[Ordinal]) -> FxHashMap<Ordinal, f64> {
        let habits = self.memory().habits.read();
        let mut with: FxHashMap<Ordinal, f64> = FxHashMap::default();
        for &seed in seeds {
            for (partner, strength) in habits.of(seed) {
                *with.entry(partner).or_default() += f64::from(strength) / seeds.len() as f64;
            }
        }
        with
    }

    fn diversify(&self, wave: &mut Vec<Ranked>, ask: &Ask<'_>, snapshot: &Snapshot) -> Result<()> {
        let ranking = &self.config().ranking;
        let mut shingles: FxHashMap<Ordinal, Vec<u64>> = FxHashMap::default();
        let mut failure = None;
        let mut of = |ord: Ordinal| -> Vec<u64> {
            if let Some(known) = shingles.get(&ord) {
                return known.clone();
            }
            let found = match self.store().read(|conn| passages::of(conn, ord)) {
                Ok(texts) => text::shingles(&texts.join("\n\n")),
                Err(error) => {
                    failure = Some(error);
                    Vec::new()
                }
            };
            shingles.insert(ord, found.clone());
            found
        };
        rank::demote_near_duplicates(
            wave,
            ranking.near_duplicate_factor,
            ranking.near_duplicate_jaccard,
            ask.limit.max(STEADY_LIMIT),
            &snapshot.catalog,
            |ord| snapshot.entry(ord).and_then(|entry: &Entry| entry.sketch),
            |a, b| f64::from(text::jaccard(&of(a), &of(b))),
        );
        if let Some(error) = failure {
            return Err(error);
        }
        let similarity = |a, b| snapshot.vectors.as_ref().and_then(|vectors| vectors.similarity(a, b));
        rank::diversify(wave, ask.diversity, &snapshot.catalog, similarity);
        Ok(())
    }
}

/// Weights and scale of one request.
struct Fusion {
    weights: PerScout<f32>,
    scale: Scale,
}

impl Fusion {
    /// All scouts' answers fused, in order of the fused score.
    fn fuse(&self, panel: &PanelOutcome, snapshot: &Snapshot) -> Vec<Ranked> {
        let found = ScoutKind::ALL.into_iter().map(|kind| (kind, panel.found(kind)));
        ordered(rank::fuse(found, &self.weights, self.scale), &snapshot.catalog)
    }

    /// One scout's answer alone, at full weight.
    fn alone(&self, kind: ScoutKind, panel: &PanelOutcome, snapshot: &Snapshot) -> Vec<Ranked> {
        let mut weights = PerScout::default();
        *weights.get_mut(kind) = 1.0;
        ordered(rank::fuse([(kind, panel.found(kind))], &weights, self.scale), &snapshot.catalog)
    }
}

fn ordered(mut wave: Vec<Ranked>, notes: &dyn Notes) -> Vec<Ranked> {
    wave.iter_mut().for_each(|candidate| candidate.score = candidate.fused);
    rank::sort(&mut wave, notes);
    wave
}

/// Spreads from the first wave's best, each with its fused score as a share of what fusion can reach without the graph
/// and without the task context, which most retrieves lack.
fn second_wave(
    wave: &[Ranked],
    seeds: usize,
    weights: &PerScout<f32>,
    query: &Query<'_>,
    sources: &Sources<'_>,
) -> Vec<Candidate> {
    let ceiling = (1.0 - f64::from(weights.graph + weights.task_context)).max(f64::from(f32::EPSILON));
    let activation = |candidate: &Ranked| {
        let own = candidate.parts.graph.as_ref().map_or(0.0, |part| f64::from(part.weight * part.calibrated));
        (((candidate.fused - own) / ceiling) as f32).clamp(0.0, 1.0)
    };
    let seeds: Vec<(Ordinal, f32)> =
        wave.iter().take(seeds).map(|candidate| (candidate.ord, activation(candidate))).collect();
    spread(&seeds, query.depth, sources)
}

/// The stronger of both waves for each note.
fn merge(first: &[Candidate], second: Vec<Candidate>, depth: usize, sources: &Sources<'_>) -> Vec<Candidate> {
    let mut best: FxHashMap<Ordinal, Candidate> = FxHashMap::default();
    for candidate in first.iter().cloned().chain(second) {
        let stronger = best.get(&candidate.ord).is_none_or(|known| known.raw < candidate.raw);
        if stronger {
            best.insert(candidate.ord, candidate);
        }
    }
    sources.best(best.into_values().collect(), depth)
}
