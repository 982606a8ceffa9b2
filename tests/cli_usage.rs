//! How the binary is used and misused: exit codes, help, standard output and standard error, terminals and pipes.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cli_support;

use std::io::Read;
use std::process::Stdio;

use cli_support::{Store, text};
use serde_json::Value;

#[test]
fn wrong_usage_exits_with_2_and_is_told_on_standard_error_and_as_json_where_that_was_asked_for() {
    let store = Store::with_notes();
    let wrong: [&[&str]; 15] = [
        &[],
        &["fly"],
        &["retrieve"],
        &["retrieve", "a", "b"],
        &["retrieve", "a", "--limit", "many"],
        &["retrieve", "a", "--limit", "-1"],
        &["retrieve", "a", "--fly"],
        &["search", "a", "--vector-index", "fly"],
        &["search", "a", "--now", "yesterday"],
        &["search", "a", "--embedder", "fly"],
        &["task", "complete", "t"],
        &["feedback", "rcpt_000000000000", "--none-cited", "--cited", "valve"],
        &["edge", "resolve", "e", "fly"],
        &["stats", "--agent", "bob"],
        &["stats", "--task", "t"],
    ];
    for arguments in wrong {
        let output = store.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        let told = text(&output.stderr);
        assert!(!told.is_empty(), "{arguments:?}");
        let output = store.run(&[&["--json"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        let error: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(cli_support::keys(&error), ["code", "message", "status"]);
        assert_eq!((error["status"].as_str(), error["code"].as_str()), (Some("error"), Some("invalid_input")));
        assert!(error["message"].as_str().unwrap().ends_with("; see --help") || arguments.is_empty(), "{error}");
    }
}

#[test]
fn help_and_version_are_no_errors_also_with_json() {
    let store = Store::missing();
    for asked in ["--help", "--version"] {
        let output = store.run(&["--json", asked]);
        assert_eq!(output.status.code(), Some(0), "{asked}");
        assert!(text(&output.stdout).contains("terrace") && output.stderr.is_empty(), "{asked}");
    }
}

#[test]
fn values_out_of_range_are_failures_with_a_code() {
    let store = Store::with_notes();
    let failing: [(&[&str], &str); 13] = [
        (&["edge", "upsert", "valve", "supports", "riser", "--weight", "NaN"], "invalid_input"),
        (&["cache", "a", "--min-confidence", "NaN"], "invalid_input"),
        (&["search", "a", "--threads", "18446744073709551615"], "invalid_input"),
        (&["retrieve", " "], "invalid_input"),
        (&["retrieve", "a", "--limit", "0"], "invalid_input"),
        (&["retrieve", "a", "--limit", "1001"], "invalid_input"),
        (&["retrieve", "a", "--diversity", "-0.5"], "invalid_input"),
        (&["retrieve", "a", "--path-prefix", "../x"], "invalid_input"),
        (&["search", "a", "--mode", "fly"], "invalid_mode"),
        (&["search", "a", "--threshold", "NaN"], "invalid_input"),
        (&["cache", "a", "--max-age-hours", "-1"], "invalid_input"),
        (&["edge", "upsert", "valve", "supports", "valve"], "invalid_input"),
        (&["edge", "upsert", "valve", "supports", "riser", "--evidence", "{"], "invalid_input"),
    ];
    for (arguments, code) in failing {
        assert_eq!(store.error(arguments)["code"], code, "{arguments:?}");
    }
}

#[test]
fn without_json_a_failure_is_told_on_standard_error() {
    let store = Store::with_notes();
    let output = store.run(&["get", "nowhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).starts_with("terrace: no note \"nowhere\""), "{}", text(&output.stderr));
}

#[test]
fn any_query_is_just_text() {
    let store = Store::with_notes();
    for query in ["\"unclosed", "title:", "AND", "a\nb\u{0}".trim_end_matches('\0'), "({[*", "\u{1F99E}", "\u{1b}[2J"] {
        let output = store.run(&["retrieve", query, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{query:?}: {}", text(&output.stdout));
    }
    let output = store.run(&["retrieve", "--json", "--", "-backup"]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_help_of_every_command_shows_an_example() {
    let store = Store::missing();
    let mut waiting: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(path) = waiting.pop() {
        let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let output = store.run(&arguments);
        let help = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{path:?}");
        assert!(help.contains("Example"), "{path:?}: {help}");
        seen += 1;
        let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        for line in commands.take_while(|line| !line.is_empty()) {
            let name = line.split_whitespace().next().unwrap();
            if name != "help" {
                waiting.push(path.iter().cloned().chain([name.to_owned()]).collect());
            }
        }
    }
    assert!(seen > 30, "only {seen} commands were found");
}

#[test]
fn people_read_rank_score_title_reasons_and_the_receipt() {
    let store = Store::with_notes();
    let page = store.people(&["retrieve", "prime the pump"]);
    let mut lines = page.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("  1  0.") && first.ends_with("  Priming the pump  water/pump.md  valve"), "{page}");
    assert!(lines.next().unwrap().contains("valve B"), "{page}");
    assert!(lines.next().unwrap().trim_start().starts_with("- "), "{page}");
    assert!(page.contains("receipt rcpt_") && page.contains("temperature 0.50"), "{page}");
    assert!(page.contains("skipped: ") && page.contains("scout_vector"), "{page}");
    assert!(store.people(&["search", "zzzzqqqq", "--mode", "fulltext"]).contains("nothing found"));
}

#[test]
fn every_answer_for_people_is_plain_text_where_no_terminal_reads_it() {
    let store = Store::with_notes();
    let receipt: Value = store.json(&["retrieve", "pump", "--task", "pump-42"]);
    let receipt = receipt["receipt_id"].as_str().unwrap();
    store.json(&["task", "create", "--id", "pump-42", "--title", "a\u{1b}[31mb"]);
    let commands: [(&[&str], &str); 14] = [
        (&["retrieve", "pump", "--explain"], "scout_lexical"),
        (&["get", "valve"], "Open valve B"),
        (&["cache", "--source-url", "https://example.org/pump"], "hit"),
        (&["stats"], "notes"),
        (&["stats", "valve"], "salience"),
        (&["receipts"], receipt),
        (&["receipt", receipt], "candidates"),
        (&["task", "list"], "a [31mb"),
        (&["task", "show", "pump-42"], "open"),
        (&["edge", "upsert", "valve", "supports", "riser"], "supports"),
        (&["capabilities"], "1000"),
        (&["learned"], "scout_lexical"),
        (&["check"], "sound"),
        (&["rebuild"], "lexical"),
    ];
    for (arguments, expected) in commands {
        let page = store.people(arguments);
        assert!(page.contains(expected), "{arguments:?}: {page}");
        assert!(!page.contains('\u{1b}'), "{arguments:?}: {page}");
    }
}

#[test]
fn the_log_is_silent_until_asked_for_and_never_on_standard_output() {
    let store = Store::with_notes();
    let lexical = store.path().join("lexical");
    for (option, variable, logged) in [(None, None, false), (Some("-v"), None, true), (None, Some("warn"), true)] {
        std::fs::remove_dir_all(&lexical).unwrap();
        std::fs::create_dir(&lexical).unwrap();
        std::fs::write(lexical.join("meta.json"), "damage").unwrap();
        let mut command = store.command(&["search", "pump", "--json"]);
        let output = command.args(option).envs(variable.map(|value| ("TERRACE_LOG", value))).output().unwrap();
        assert_eq!(text(&output.stderr).contains("discarded"), logged, "{option:?} {variable:?}");
        assert_eq!(output.stderr.is_empty(), !logged);
        serde_json::from_slice::<Value>(&output.stdout).unwrap();
    }
    let output = store.command(&["search", "pump"]).env("TERRACE_LOG", "terrace=loud").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    let store = Store::missing();
    let big = format!("{{\"id\": \"big\", \"title\": \"Big\", \"body\": \"{}\"}}", "many words ".repeat(100_000));
    store.run_with(&["put", "-", "--embedder", "none"], &big);
    for json in [&[][..], &["--json"]] {
        let mut child = store
            .command(&[&["get", "big"], json].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut beginning = [0; 16];
        let mut reader = child.stdout.take().unwrap();
        reader.read_exact(&mut beginning).unwrap();
        drop(reader);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "");
    }
}

#[test]
fn a_bad_line_is_named_and_nothing_of_the_file_is_written_unless_asked() {
    let store = Store::missing();
    let lines = "{\"id\": \"good\", \"title\": \"Good\"}\n{\"id\": 7}\n";
    std::fs::write(store.dir.path().join("notes.jsonl"), lines).unwrap();
    let error = store.error(&["put", "notes.jsonl"]);
    assert_eq!(error["code"], "invalid_input");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("notes.jsonl") && message.contains('2'), "{message}");
    assert!(!store.path().exists());
    let answer = store.json(&["put", "notes.jsonl", "--skip-bad"]);
    assert_eq!(answer["ids"], serde_json::json!(["good"]));
    assert_eq!(answer["bad"][0]["line"], 2);
    assert_eq!(store.error(&["index", "notes.jsonl"])["code"], "invalid_input");
    let answer = store.json(&["index", "notes.jsonl", "--skip-bad"]);
    assert_eq!(answer["records"][0]["written"], 1);
}

#[test]
fn the_store_is_where_the_option_says_else_the_environment_else_here() {
    let store = Store::missing();
    let here = store.dir.path().join(".terrace");
    let run = |arguments: &[&str]| {
        let output = store.command(arguments).env_remove("TERRACE_STORE").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    run(&["task", "create", "--id", "a"]);
    assert!(here.join("terrace.db").is_file());
    run(&["--store", "there", "task", "create", "--id", "b"]);
    assert!(store.dir.path().join("there/terrace.db").is_file());
    run(&["task", "show", "a"]);
    run(&["task", "show", "b", "--store", "there"]);
}
