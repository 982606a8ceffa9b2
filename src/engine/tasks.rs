//! Tasks: opening, closing, and learning from how they ended.

use super::Engine;
use super::judge::{Judged, Learned, Said};
use crate::error::{Error, Result};
use crate::model::{Completion, CompletionRequest, Finding, Task, TaskDraft, TaskStatus, Viewer};
use crate::store::{findings, ids, receipts, tasks};
use crate::text;

impl Engine {
    /// Opens a task.
    ///
    /// # Errors
    /// `conflict` when its id is taken; `invalid_input` for a blank id that is not empty; `read_only`.
    pub fn create_task(&self, draft: &TaskDraft) -> Result<Task> {
        self.writable("create_task")?;
        if !draft.id.is_empty() && text::is_blank(&draft.id) {
            return Err(Error::invalid("the task's id is blank; leave it empty to have one made"));
        }
        let now = self.now();
        self.store.write(|conn| {
            let id = if draft.id.is_empty() { ids::next(conn, ids::Kind::Task)? } else { draft.id.clone() };
            let task = Task {
                id,
                title: draft.title.clone(),
                description: draft.description.clone(),
                agent: draft.agent.clone(),
                status: TaskStatus::Open,
                outcome: None,
                created_at: now,
                closed_at: None,
            };
            tasks::create(conn, &task)?;
            Ok(task)
        })
    }

    /// The task of this id, or of this unique beginning of at least 6 characters.
    ///
    /// # Errors
    /// `task_not_found`.
    pub fn get_task(&self, id: &str) -> Result<Task> {
        self.store.read(|conn| tasks::find(conn, id))
    }

    /// Tasks, newest first; of one status where it is given.
    ///
    /// # Errors
    /// SQLite's own.
    pub fn list_tasks(&self, status: Option<TaskStatus>) -> Result<Vec<Task>> {
        self.store.read(|conn| tasks::list(conn, &tasks::TaskQuery { status, ..tasks::TaskQuery::default() }))
    }

    /// Gives an open task up. Nothing is learned.
    ///
    /// # Errors
    /// `task_not_found` when it is unknown or not open; `read_only`.
    pub fn cancel_task(&self, id: &str) -> Result<Task> {
        self.writable("cancel_task")?;
        let now = self.now();
        self.store.write(|conn| {
            let task = open_task(conn, id)?;
            tasks::set_status(conn, &task.id, TaskStatus::Cancelled, None, Some(now))?;
            tasks::get(conn, &task.id)?.ok_or_else(|| Error::no_task(id))
        })
    }

    /// Opens a completed or cancelled task again; its outcome is cleared.
    ///
    /// # Errors
    /// `task_not_found` when it is unknown; `conflict` when it is open; `read_only`.
    pub fn reopen_task(&self, id: &str) -> Result<Task> {
        self.writable("reopen_task")?;
        self.store.write(|conn| {
            let task = tasks::find(conn, id)?;
            if task.status == TaskStatus::Open {
                return Err(Error::Conflict(format!("task {:?} is open already; there is nothing to reopen", task.id)));
            }
            tasks::set_status(conn, &task.id, TaskStatus::Open, None, None)?;
            tasks::get(conn, &task.id)?.ok_or_else(|| Error::no_task(id))
        })
    }

    /// Writes down what an agent found out for a task; with a note, that note belongs to the task from now on.
    ///
    /// # Errors
    /// `task_not_found`; `doc_not_found` when there is no such note or this agent, on this task, may not see it;
    /// `invalid_input` for a blank summary; `read_only`.
    pub fn post_finding(&self, task_id: &str, agent: &str, summary: &str, note_id: Option<&str>) -> Result<Finding> {
        self.writable("post_finding")?;
        if text::is_blank(summary) {
            return Err(Error::invalid("the finding's summary is blank; say what was found"));
        }
        let snapshot = self.snapshot();
        let now = self.now();
        self.store.write(|conn| {
            let task_id = tasks::find(conn, task_id)?.id;
            let viewer = Viewer::agent(agent).on_task(&task_id);
            let visible = |id: &str| {
                let ord = snapshot.catalog.visible_ord(id, &viewer);
                ord.ok_or_else(|| Error::DocNotFound(id.to_owned()))
            };
            let note_ord = note_id.map(visible).transpose()?;
            let id = findings::post(conn, &task_id, agent, summary, note_ord, now)?;
            Ok(Finding {
                id,
                task_id,
                agent: agent.to_owned(),
                summary: summary.to_owned(),
                note_id: note_id.map(str::to_owned),
                created_at: now,
            })
        })
    }

    /// A task's findings, oldest first; the note of one is left out where the viewer may not see it.
    ///
    /// # Errors
    /// `task_not_found`.
    pub fn list_findings(&self, task_id: &str, viewer: &Viewer) -> Result<Vec<Finding>> {
        let task = self.get_task(task_id)?;
        let snapshot = self.snapshot();
        let mut found = self.store.read(|conn| findings::of_task(conn, &task.id))?;
        for finding in &mut found {
            finding.note_id = finding.note_id.take().filter(|id| snapshot.catalog.visible_ord(id, viewer).is_some());
        }
        Ok(found)
    }

    /// Closes a task and, where citations are given, learns from them, in one transaction.
    ///
    /// With neither list the task just closes. With one or both, the notes of the receipt that neither names were
    /// ignored; a note in both is misleading; ids that the receipt does not hold, or that were deleted since, are
    /// dropped and reported. Without a `receipt_id` the newest receipt of this task and agent is meant; where there is
    /// none, the task closes and `feedback_applied` is false. Of another agent's receipt, the notes that this agent cannot
    /// see are neither judged nor named.
    ///
    /// # Errors
    /// `task_not_found` when the task is unknown or not open; `receipt_not_found` when the receipt named does not belong
    /// to it; `read_only`. Nothing is changed then, and the task stays open.
    pub fn complete_task(&self, request: &CompletionRequest) -> Result<Completion> {
        self.writable("complete_task")?;
        let now = self.now();
        let said = Said { cited: request.cited_nodes.as_deref(), misleading: request.misleading_nodes.as_deref() };
        let (task_id, judged) = self.store.read(|conn| {
            let task = open_task(conn, &request.task_id)?;
            let judged = self.receipt_of_task(conn, &task, request)?;
            Ok((task.id, judged))
        })?;
        let viewer = Viewer::agent(&request.agent).on_task(&task_id);
        let lesson = judged.as_ref().and_then(|judged| self.lesson(judged, said));
        let _gate = self.gate.lock();
        let learned = self.store.write(|conn| {
            // It may have been closed since the receipt was read.
            let task = open_task(conn, &task_id)?;
            let learned = match &judged {
                Some(judged) => self.judge(conn, judged, lesson.as_ref(), said, &viewer)?,
                None => Learned::default(),
            };
            tasks::set_status(conn, &task.id, TaskStatus::Completed, request.outcome.as_deref(), Some(now))?;
            Ok(learned)
        })?;
        Ok(Completion { success: true, unblocked: Vec::new(), feedback: self.take_in(learned) })
    }

    /// The receipt that a completion judges: the one it names, else the newest of this task and agent.
    fn receipt_of_task(
        &self,
        conn: &rusqlite::Connection,
        task: &Task,
        request: &CompletionRequest,
    ) -> Result<Option<Judged>> {
        let Some(id) = &request.receipt_id else {
            let newest = receipts::newest_for(conn, &task.id, &request.agent)?;
            return newest.map_or(Ok(None), |seq| self.judged(conn, seq));
        };
        let judged = self.receipt_to_judge(conn, id)?;
        if judged.receipt.task_id.as_deref() != Some(task.id.as_str()) {
            return Err(Error::ReceiptNotFound(id.clone()));
        }
        Ok(Some(judged))
    }

    pub(super) fn writable(&self, call: &'static str) -> Result<()> {
        if self.store.is_read_only() { Err(Error::ReadOnly(call)) } else { Ok(()) }
    }
}

fn open_task(conn: &rusqlite::Connection, id: &str) -> Result<Task> {
    let task = tasks::find(conn, id)?;
    if task.status == TaskStatus::Open {
        return Ok(task);
    }
    let status = task.status.as_str();
    Err(Error::TaskNotFound(format!("task {:?} is {status}, expected an open one; reopen it first", task.id)))
}
