//! The README's program is the first example, word for word, so that one tested text stands in both places.

#[test]
fn the_readme_shows_the_application_example() {
    let readme = include_str!("../README.md");
    let block = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(block, Some(include_str!("../examples/application.rs")));
}
