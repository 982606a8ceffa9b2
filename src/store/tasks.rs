//! Tasks.

use rusqlite::{Connection, Row, named_params};

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::{Task, TaskStatus};
use crate::store::column;

/// Characters from which the beginning of a task's id may stand for it.
const SHORTEST_PREFIX: usize = 6;

/// Which tasks to list; conditions AND together.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskQuery {
    pub(crate) status: Option<TaskStatus>,
    pub(crate) agent: Option<String>,
    /// `None`: all of them.
    pub(crate) limit: Option<usize>,
    pub(crate) offset: usize,
}

/// Writes a new task.
///
/// # Errors
/// `conflict` when its id is taken.
pub(crate) fn create(conn: &Connection, task: &Task) -> Result<()> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO tasks (id, title, description, agent, status, outcome, created_at, closed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
    )?;
    let made = statement.execute((
        &task.id,
        &task.title,
        &task.description,
        &task.agent,
        task.status.as_str(),
        &task.outcome,
        task.created_at.micros(),
        task.closed_at.map(Timestamp::micros),
    ))?;
    if made == 0 {
        return Err(Error::Conflict(format!("there is a task {:?} already; choose another id, or reopen it", task.id)));
    }
    Ok(())
}

/// The task of exactly this id.
pub(crate) fn get(conn: &Connection, id: &str) -> Result<Option<Task>> {
    let mut statement = conn.prepare_cached("SELECT * FROM tasks WHERE id = ?1")?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(read).transpose()
}

/// The tasks that `query` admits, the newest first.
pub(crate) fn list(conn: &Connection, query: &TaskQuery) -> Result<Vec<Task>> {
    let mut statement = conn.prepare_cached(
        "SELECT * FROM tasks WHERE (:status IS NULL OR status = :status) AND (:agent IS NULL OR agent = :agent)
         ORDER BY seq DESC LIMIT :limit OFFSET :offset",
    )?;
    let mut rows = statement.query(named_params! {
        ":status": query.status.map(TaskStatus::as_str),
        ":agent": query.agent,
        ":limit": query.limit.map_or(-1, |limit| column::stored(limit as u64)),
        ":offset": column::stored(query.offset as u64),
    })?;
    let mut tasks = Vec::new();
    while let Some(row) = rows.next()? {
        tasks.push(read(row)?);
    }
    Ok(tasks)
}

/// Changes where a task stands, with what came of it and when it was closed; answers whether it is there.
pub(crate) fn set_status(
    conn: &Connection,
    id: &str,
    status: TaskStatus,
    outcome: Option<&str>,
    closed_at: Option<Timestamp>,
) -> Result<bool> {
    let mut statement =
        conn.prepare_cached("UPDATE tasks SET status = ?2, outcome = ?3, closed_at = ?4 WHERE id = ?1")?;
    Ok(statement.execute((id, status.as_str(), outcome, closed_at.map(Timestamp::micros)))? > 0)
}

/// The task that `prefix` stands for: the one of exactly this id, else the only one whose id begins with it, when
/// it has at least 6 characters.
///
/// # Errors
/// `task_not_found`, saying why: none begins so, several do, or it is too short.
pub(crate) fn find(conn: &Connection, prefix: &str) -> Result<Task> {
    match begins_with(conn, prefix)? {
        Beginning::Of(id) => get(conn, &id)?.ok_or_else(|| Error::no_task(prefix)),
        Beginning::None => Err(Error::no_task(prefix)),
        Beginning::Short => Err(Error::TaskNotFound(format!(
            "there is no task {prefix:?}, and it is too short for the beginning of an id; give at least {SHORTEST_PREFIX} characters"
        ))),
        Beginning::Several => Err(Error::TaskNotFound(format!(
            "there is no task {prefix:?}, and several ids begin so; give more of the id"
        ))),
    }
}

/// The id of the task that `prefix` stands for, as in [`find`]; `None` when it stands for none.
pub(crate) fn resolve_prefix(conn: &Connection, prefix: &str) -> Result<Option<String>> {
    Ok(match begins_with(conn, prefix)? {
        Beginning::Of(id) => Some(id),
        Beginning::None | Beginning::Short | Beginning::Several => None,
    })
}

/// What the beginning of an id stands for.
enum Beginning {
    Of(String),
    None,
    Short,
    Several,
}

fn begins_with(conn: &Connection, prefix: &str) -> Result<Beginning> {
    // Ids that begin alike stand next to each other in the index, the shortest first: two rows decide.
    let mut statement = conn.prepare_cached("SELECT id FROM tasks WHERE id >= ?1 ORDER BY id LIMIT 2")?;
    let rows = statement.query_map([prefix], |row| row.get::<_, String>(0))?;
    let mut ids = rows.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().filter(|id| id.starts_with(prefix));
    Ok(match (ids.next(), ids.next()) {
        (None, _) => Beginning::None,
        (Some(first), _) if first == prefix => Beginning::Of(first),
        _ if prefix.chars().count() < SHORTEST_PREFIX => Beginning::Short,
        (Some(_), Some(_)) => Beginning::Several,
        (Some(only), None) => Beginning::Of(only),
    })
}

/// How many tasks there are.
pub(crate) fn count(conn: &Connection) -> Result<u64> {
    let count: i64 = conn.prepare_cached("SELECT count(*) FROM tasks")?.query_row([], |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

fn read(row: &Row<'_>) -> Result<Task> {
    Ok(Task {
        id: row.get("id")?,
        title: row.get("title")?,
        description: row.get("description")?,
        agent: row.get("agent")?,
        status: column::named(row, "status", TaskStatus::parse)?,
        outcome: row.get("outcome")?,
        created_at: column::time(row, "created_at")?,
        closed_at: column::optional_time(row, "closed_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::{NOW, store, task};

    fn store_with_tasks(ids: &[&str]) -> (tempfile::TempDir, crate::store::Store) {
        let (dir, store) = store();
        store.write(|conn| ids.iter().try_for_each(|id| create(conn, &task(id)))).unwrap();
        (dir, store)
    }

    #[test]
    fn a_task_comes_back_as_it_was_made() {
        let (_dir, store) = store();
        let made = Task {
            title: "ü\0".into(),
            description: "d".into(),
            agent: Some("a".into()),
            outcome: Some("o".into()),
            status: TaskStatus::Completed,
            closed_at: Some(NOW),
            ..task("t")
        };
        store.write(|conn| create(conn, &made)).unwrap();
        assert_eq!(store.read(|conn| get(conn, "t")).unwrap(), Some(made));
    }

    #[test]
    fn an_id_that_is_taken_is_a_conflict() {
        let (_dir, store) = store_with_tasks(&["t"]);
        assert_eq!(store.write(|conn| create(conn, &task("t"))).unwrap_err().code(), "conflict");
    }

    #[test]
    fn a_unique_prefix_of_six_characters_stands_for_its_task() {
        let (_dir, store) = store_with_tasks(&["task_alpha", "task_beta"]);
        let resolve = |prefix: &str| store.read(|conn| find(conn, prefix)).ok().map(|task| task.id);
        assert_eq!(resolve("task_a").as_deref(), Some("task_alpha"));
        assert_eq!(resolve("task_"), None, "two begin so, and it is short");
        assert_eq!(resolve("task_c"), None);
        assert_eq!(resolve("TASK_A"), None, "ids compare exactly");
    }

    #[test]
    fn a_prefix_shorter_than_six_characters_stands_for_nothing() {
        let (_dir, store) = store_with_tasks(&["åäöåäö-1"]);
        let resolve = |prefix: &str| store.read(|conn| find(conn, prefix)).ok().map(|task| task.id);
        assert_eq!(resolve("åäöåä"), None, "five characters, ten bytes");
        assert_eq!(resolve("åäöåäö").as_deref(), Some("åäöåäö-1"));
    }

    #[test]
    fn an_ambiguous_prefix_stands_for_nothing_and_a_whole_id_for_itself() {
        let (_dir, store) = store_with_tasks(&["task-1", "task-12", "t"]);
        let resolve = |prefix: &str| store.read(|conn| find(conn, prefix)).ok().map(|task| task.id);
        assert_eq!(resolve("task-1").as_deref(), Some("task-1"));
        assert_eq!(resolve("t").as_deref(), Some("t"));
        let (_dir, store) = store_with_tasks(&["task-11", "task-12"]);
        assert_eq!(store.read(|conn| find(conn, "task-1")).unwrap_err().code(), "task_not_found");
    }

    #[test]
    fn what_stands_for_no_task_is_told_why() {
        let (_dir, store) = store_with_tasks(&["task-11", "task-12"]);
        let why = |prefix: &str| store.read(|conn| find(conn, prefix)).unwrap_err().to_string();
        assert!(why("nope").contains("there is no task \"nope\"; list"), "{}", why("nope"));
        assert!(why("task").contains("at least 6 characters"), "{}", why("task"));
        assert!(why("task-1").contains("several ids begin so"), "{}", why("task-1"));
    }

    #[test]
    fn wildcards_in_a_prefix_are_just_characters() {
        let (_dir, store) = store_with_tasks(&["task_alpha", "100%-sure"]);
        let resolve = |prefix: &str| store.read(|conn| find(conn, prefix)).ok().map(|task| task.id);
        for wild in ["task%a", "_ask_a", "%%%%%%", "task_*", "task\\_a", "[t]ask_"] {
            assert_eq!(resolve(wild), None, "{wild}");
        }
        assert_eq!(resolve("100%-s").as_deref(), Some("100%-sure"));
    }

    #[test]
    fn listing_narrows_by_status_and_agent_and_begins_with_the_newest() {
        let (_dir, store) = store_with_tasks(&["a", "b"]);
        store.write(|conn| create(conn, &Task { agent: Some("x".into()), ..task("c") })).unwrap();
        store.write(|conn| set_status(conn, "b", TaskStatus::Cancelled, None, Some(NOW))).unwrap();
        let ids = |query: TaskQuery| -> Vec<String> {
            store.read(|conn| list(conn, &query)).unwrap().into_iter().map(|task| task.id).collect()
        };
        assert_eq!(ids(TaskQuery::default()), ["c", "b", "a"]);
        assert_eq!(ids(TaskQuery { status: Some(TaskStatus::Open), ..TaskQuery::default() }), ["c", "a"]);
        assert_eq!(ids(TaskQuery { agent: Some("x".into()), ..TaskQuery::default() }), ["c"]);
        assert_eq!(ids(TaskQuery { limit: Some(1), offset: 1, ..TaskQuery::default() }), ["b"]);
    }

    #[test]
    fn a_task_is_open_until_it_is_closed() {
        let (_dir, store) = store_with_tasks(&["t"]);
        let status = || store.read(|conn| get(conn, "t")).unwrap().unwrap().status;
        assert_eq!(status(), TaskStatus::Open);
        assert!(store.write(|conn| set_status(conn, "t", TaskStatus::Completed, Some("ok"), Some(NOW))).unwrap());
        assert_eq!(status(), TaskStatus::Completed);
        assert!(!store.write(|conn| set_status(conn, "none", TaskStatus::Open, None, None)).unwrap());
    }
}
