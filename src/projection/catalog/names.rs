//! Names: by what a query, or a link, can call a note.

use std::sync::Arc;

use roaring::RoaringBitmap;
use rustc_hash::FxHashMap;

use super::{Catalog, Entry, SetIndex};
use super::{Named, NamedHow};
use crate::model::Ordinal;
use crate::projection::Eligible;
use crate::projection::Map;
use crate::text;

/// Words of one name that are looked for in a query.
const MAX_NAME_WORDS: usize = 12;
/// Words of a query in which names are looked for.
const MAX_QUERY_WORDS: usize = 256;
/// Notes that one name may stand for; a name of more notes names none of them.
const MAX_NAMESAKES: usize = 64;
/// Notes that a link is tried on; a name of more is no name.
const MAX_BEARERS: usize = 64;
/// Characters from which the beginning of an id is looked up.
const MIN_ID_PREFIX: usize = 6;
/// Length of a word from which one misspelling is looked for.
const MIN_FUZZY: usize = 4;
/// What a misspelt name counts against the exact one.
const MISSPELT: f32 = 0.8;

/// Name keys ([`text::name_key`]) and link keys to the notes that bear them.
#[derive(Clone, Default)]
pub(crate) struct NameIndex {
    titles: SetIndex<Arc<str>>,
    aliases: SetIndex<Arc<str>>,
    /// Keys of file names and of whole paths.
    files: SetIndex<Arc<str>>,
    /// Case-folded paths, with and without extension.
    paths: SetIndex<Arc<str>>,
    /// Case-folded file names without extension, for link resolution.
    stems: SetIndex<Arc<str>>,
    /// Words of names; each note under each word of its names.
    words: SetIndex<Arc<str>>,
    /// Words of names with one character left out, to the hash of which a misspelling leads.
    deletions: Map<u64, Arc<[Arc<str>]>>,
    /// Keys of tags to the tags.
    tag_keys: Map<Arc<str>, Arc<[Arc<str>]>>,
}

impl NameIndex {
    pub(crate) fn add(&mut self, entry: &Entry) {
        let ord = entry.ord;
        for key in title_keys(entry) {
            self.titles.add(key, ord);
        }
        for key in alias_keys(entry) {
            self.aliases.add(key, ord);
        }
        for key in file_keys(entry) {
            self.files.add(key, ord);
        }
        for key in path_keys(entry) {
            self.paths.add(key, ord);
        }
        if let Some(key) = stem_key(entry) {
            self.stems.add(key, ord);
        }
        for word in name_words(entry) {
            if self.words.get(&*word).is_none() {
                for hash in deletion_hashes(&word) {
                    let known = self.deletions.get(&hash).map(|words| words.to_vec()).unwrap_or_default();
                    if !known.contains(&word) {
                        let mut words = known;
                        words.push(word.clone());
                        words.sort();
                        self.deletions.insert(hash, words.into());
                    }
                }
            }
            self.words.add(word, ord);
        }
        for tag in entry.tag_keys() {
            for key in [text::name_key(&tag), text::name_key(tag.rsplit('/').next().unwrap_or(&tag))] {
                let known = self.tag_keys.get(key.as_str()).map(|tags| tags.to_vec()).unwrap_or_default();
                if !known.contains(&tag) {
                    let mut tags = known;
                    tags.push(tag.clone());
                    tags.sort();
                    self.tag_keys.insert(key.into(), tags.into());
                }
            }
        }
    }

    /// Takes a note's names out. Words and tag keys that no note bears any more stay as empty leads: they resolve to
    /// sets, and the sets are gone.
    pub(crate) fn remove(&mut self, entry: &Entry) {
        let ord = entry.ord;
        title_keys(entry).iter().for_each(|key| self.titles.drop(&**key, ord));
        alias_keys(entry).iter().for_each(|key| self.aliases.drop(&**key, ord));
        file_keys(entry).iter().for_each(|key| self.files.drop(&**key, ord));
        path_keys(entry).iter().for_each(|key| self.paths.drop(&**key, ord));
        if let Some(key) = stem_key(entry) {
            self.stems.drop(&*key, ord);
        }
        name_words(entry).iter().for_each(|word| self.words.drop(&**word, ord));
    }

    /// Tags that this key calls, as filters fold them.
    pub(crate) fn tags_of(&self, key: &str) -> Vec<Arc<str>> {
        self.tag_keys.get(key).map(|tags| tags.to_vec()).unwrap_or_default()
    }

    /// Words of visible names that are this word but for one insertion, deletion, substitution or swap of neighbours;
    /// none when the word itself is one.
    fn corrections(&self, word: &str, visible: &Eligible) -> Vec<Arc<str>> {
        let borne = |word: &str| {
            self.words.get(word).is_some_and(|bearers| bearers.iter().any(|bearer| visible.contains(bearer)))
        };
        if word.chars().count() < MIN_FUZZY || borne(word) {
            return Vec::new();
        }
        let mut found: Vec<Arc<str>> = deletion_hashes(word)
            .into_iter()
            .filter_map(|hash| self.deletions.get(&hash))
            .flat_map(|words| words.iter().cloned())
            .filter(|known| strsim::osa_distance(known, word) == 1 && borne(known))
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// The notes under a key, with what kind of name it is.
    fn under(&self, key: &str) -> impl Iterator<Item = (NamedHow, &Arc<RoaringBitmap>)> {
        [(NamedHow::Title, &self.titles), (NamedHow::Alias, &self.aliases), (NamedHow::FileName, &self.files)]
            .into_iter()
            .filter_map(move |(how, sets)| Some((how, sets.get(key)?)))
    }

    /// Where a link may lead, best first: notes that bear the target as path, then as the end of a path, as file name,
    /// title, alias or id, without regard to case; of those that bear it alike the one with the shortest path, then by
    /// id. A reader follows the link to the first of them that it may see.
    pub(crate) fn resolve(&self, target: &str, catalog: &Catalog) -> Vec<Ordinal> {
        let folded = text::fold_case(target.trim().trim_matches('/'));
        let bare = text::strip_note_extension(&folded).unwrap_or(&folded);
        let mut bearers: Vec<Ordinal> = Vec::new();
        let mut add = |set: &RoaringBitmap| {
            let mut alike: Vec<Ordinal> = set.iter().filter(|ord| !bearers.contains(ord)).collect();
            alike.sort_by_cached_key(|ord| {
                let entry = catalog.entry(*ord);
                let path = entry.and_then(|entry| entry.path.as_deref()).unwrap_or_default();
                (path.matches('/').count(), path.len(), entry.map(|entry| entry.id.clone()))
            });
            bearers.extend(alike);
            bearers.truncate(MAX_BEARERS);
        };
        if let Some(set) = self.paths.get(bare) {
            add(set);
        }
        let stem = bare.rsplit('/').next().unwrap_or(bare);
        if let Some(set) = self.stems.get(stem) {
            let tail = format!("/{bare}");
            let fits: RoaringBitmap = set
                .iter()
                .filter(|ord| {
                    let path = catalog.entry(*ord).and_then(|entry| entry.path.as_deref()).unwrap_or_default();
                    let path = text::fold_case(path);
                    !bare.contains('/') || text::strip_note_extension(&path).unwrap_or(&path).ends_with(&tail)
                })
                .collect();
            add(&fits);
        }
        let key = text::name_key(target);
        self.under(&key).for_each(|(_, set)| add(set));
        if let Some(ord) = catalog.ord(target.trim()) {
            add(&RoaringBitmap::from_iter([ord]));
        }
        bearers
    }

    /// The keys on which the resolution of a link to `target` depends.
    pub(crate) fn link_keys(target: &str) -> Vec<Arc<str>> {
        let folded = text::fold_case(target.trim().trim_matches('/'));
        let bare = text::strip_note_extension(&folded).unwrap_or(&folded);
        let stem = bare.rsplit('/').next().unwrap_or(bare);
        let mut keys: Vec<Arc<str>> = vec![stem.into(), text::name_key(target).into(), target.trim().into()];
        keys.sort();
        keys.dedup();
        keys
    }

    /// The keys under which links may call this note: those of [`NameIndex::link_keys`] that lead to it.
    pub(crate) fn callable_keys(entry: &Entry) -> Vec<Arc<str>> {
        let mut keys = vec![entry.id.clone()];
        keys.extend(title_keys(entry));
        keys.extend(alias_keys(entry));
        keys.extend(file_keys(entry));
        keys.extend(stem_key(entry));
        keys.sort();
        keys.dedup();
        keys
    }
}

/// The visible notes that a query names, best first, each once.
pub(super) fn named(catalog: &Catalog, query: &str, visible: &Eligible) -> Vec<Named> {
    let mut best: FxHashMap<Ordinal, Named> = FxHashMap::default();
    let mut offer = |ord: Ordinal, how: NamedHow, share: f32| {
        if !visible.contains(ord) {
            return;
        }
        let named = Named { ord, how, share: share.clamp(0.0, 1.0) };
        let better = best
            .get(&ord)
            .is_none_or(|known| known.share < named.share || (known.share == named.share && named.how < known.how));
        if better {
            best.insert(ord, named);
        }
    };
    verbatim(catalog, query, visible, &mut offer);
    let mut words = text::words(query);
    words.truncate(MAX_QUERY_WORDS);
    let total: f32 = words.iter().map(|word| weight(word)).sum();
    runs(&words, total, |key, share| {
        for (how, set) in catalog.names.under(key) {
            namesakes(set, visible).for_each(|ord| offer(ord, how, share));
        }
    });
    misspelt(catalog, &words, total, visible, &mut offer);
    // A whole name of pure punctuation or emoji has no words, only a key.
    if words.is_empty() {
        for (how, set) in catalog.names.under(&text::name_key(query)) {
            namesakes(set, visible).for_each(|ord| offer(ord, how, 1.0));
        }
    }
    let mut found: Vec<Named> = best.into_values().collect();
    found.sort_by(|a, b| {
        b.share.total_cmp(&a.share).then_with(|| a.how.cmp(&b.how)).then_with(|| {
            let id = |ord| catalog.entry(ord).map(|entry| entry.id.clone());
            id(a.ord).cmp(&id(b.ord))
        })
    });
    found
}

/// The visible bearers of a name, none where they are too many. Those the caller cannot see do not count: a name must not
/// lose its meaning by them.
fn namesakes(bearers: &RoaringBitmap, visible: &Eligible) -> impl Iterator<Item = Ordinal> {
    let mut seen: Vec<Ordinal> =
        bearers.iter().filter(|bearer| visible.contains(*bearer)).take(MAX_NAMESAKES + 1).collect();
    if seen.len() > MAX_NAMESAKES {
        seen.clear();
    }
    seen.into_iter()
}

/// Ids, beginnings of ids and paths, as they stand in the query between white space.
fn verbatim(catalog: &Catalog, query: &str, visible: &Eligible, offer: &mut impl FnMut(Ordinal, NamedHow, f32)) {
    let whole = query.trim();
    let pieces = whole.split_whitespace().take(MAX_QUERY_WORDS);
    for piece in std::iter::once(whole).chain(pieces) {
        let piece =
            piece.trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '[' | ']' | '<' | '>'));
        if piece.is_empty() {
            continue;
        }
        if let Some(ord) = catalog.ord(piece).filter(|ord| visible.contains(*ord)) {
            offer(ord, NamedHow::Id, 1.0);
        } else if piece.chars().count() >= MIN_ID_PREFIX {
            let from: Arc<str> = piece.into();
            let mut matching = catalog
                .ids
                .range(from..)
                .take_while(|(id, _)| id.starts_with(piece))
                .filter(|(_, ord)| visible.contains(**ord));
            if let (Some((_, ord)), None) = (matching.next(), matching.next()) {
                offer(*ord, NamedHow::IdPrefix, 0.9);
            }
        }
        if piece.contains(['/', '.'])
            && let Some(set) = catalog.names.paths.get(text::fold_case(piece).as_str())
        {
            set.iter().for_each(|ord| offer(ord, NamedHow::Path, 1.0));
        }
    }
}

/// Every run of words as a key, with the share of the query's weight that it accounts for.
fn runs(words: &[String], total: f32, mut visit: impl FnMut(&str, f32)) {
    for start in 0..words.len() {
        let mut key = String::new();
        let mut sum = 0.0;
        for word in words.iter().skip(start).take(MAX_NAME_WORDS) {
            if !key.is_empty() {
                key.push(' ');
            }
            key.push_str(word);
            sum += weight(word);
            if total > 0.0 && sum > 0.0 {
                visit(&key, sum / total);
            }
        }
    }
}

/// Runs in which one word is replaced by a word of names that it nearly is.
fn misspelt(
    catalog: &Catalog,
    words: &[String],
    total: f32,
    visible: &Eligible,
    offer: &mut impl FnMut(Ordinal, NamedHow, f32),
) {
    let corrected: Vec<Vec<Arc<str>>> = words.iter().map(|word| catalog.names.corrections(word, visible)).collect();
    for start in 0..words.len() {
        let mut keys = vec![String::new()];
        let mut wrong = false;
        let mut sum = 0.0;
        for (word, corrections) in words.iter().zip(&corrected).skip(start).take(MAX_NAME_WORDS) {
            let choices: Vec<&str> =
                if corrections.is_empty() { vec![word.as_str()] } else { corrections.iter().map(|c| &**c).collect() };
            wrong |= !corrections.is_empty();
            sum += weight(word);
            let longer = |key: &String, choice: &&str| {
                if key.is_empty() { (*choice).to_owned() } else { format!("{key} {choice}") }
            };
            keys = keys.iter().flat_map(|key| choices.iter().map(move |choice| longer(key, choice))).take(16).collect();
            if !wrong || total <= 0.0 {
                continue;
            }
            for key in &keys {
                for (_, set) in catalog.names.under(key) {
                    namesakes(set, visible).for_each(|ord| offer(ord, NamedHow::Misspelt, MISSPELT * sum / total));
                }
            }
        }
    }
}

/// Words that carry no name of their own count little towards the share of a query that a name accounts for.
fn weight(word: &str) -> f32 {
    if text::is_stop_word(word) { 0.1 } else { 1.0 }
}

fn key(name: &str) -> Option<Arc<str>> {
    let key = text::name_key(name);
    (!key.is_empty()).then(|| key.into())
}

fn title_keys(entry: &Entry) -> Vec<Arc<str>> {
    key(&entry.title).into_iter().collect()
}

fn alias_keys(entry: &Entry) -> Vec<Arc<str>> {
    entry.aliases.iter().filter_map(|alias| key(alias)).collect()
}

fn file_keys(entry: &Entry) -> Vec<Arc<str>> {
    let Some(path) = entry.path.as_deref() else { return Vec::new() };
    let bare = text::strip_note_extension(path).unwrap_or(path);
    [key(text::stem(path)), key(bare)].into_iter().flatten().collect()
}

fn path_keys(entry: &Entry) -> Vec<Arc<str>> {
    let Some(path) = entry.path.as_deref() else { return Vec::new() };
    let folded = text::fold_case(path);
    let bare = text::strip_note_extension(&folded).map(Arc::from);
    std::iter::once(Arc::from(folded.as_str())).chain(bare).collect()
}

fn stem_key(entry: &Entry) -> Option<Arc<str>> {
    let folded = text::fold_case(text::stem(entry.path.as_deref()?));
    Some(folded.as_str().into())
}

fn name_words(entry: &Entry) -> Vec<Arc<str>> {
    let mut words: Vec<Arc<str>> = Vec::new();
    let stem = entry.path.as_deref().map(text::stem).unwrap_or_default();
    for name in std::iter::once(&*entry.title).chain(entry.aliases.iter().map(|alias| &**alias)).chain([stem]) {
        words.extend(text::words(name).into_iter().filter(|word| word.len() <= 64).map(Arc::from));
    }
    words.sort();
    words.dedup();
    words
}

/// Hashes of the word and of it with each character left out.
fn deletion_hashes(word: &str) -> Vec<u64> {
    if word.chars().count() < MIN_FUZZY {
        return Vec::new();
    }
    let mut hashes = vec![xxhash_rust::xxh3::xxh3_64(word.as_bytes())];
    let mut shorter = String::with_capacity(word.len());
    for (at, c) in word.char_indices() {
        shorter.clear();
        shorter.push_str(word.get(..at).unwrap_or_default());
        shorter.push_str(word.get(at + c.len_utf8()..).unwrap_or_default());
        hashes.push(xxhash_rust::xxh3::xxh3_64(shorter.as_bytes()));
    }
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}
