//! What the readers of stages share, and the file's own truncation and padding, which are checked and
//! left out.

use crate::definition::{Behavior, Needle};
use crate::error::Result;
use crate::formats::json::Node;

/// Appends the components of `node` to `out`: itself, or if it is a sequence, those in its `list`.
fn flatten<'v>(node: &Node<'v>, list: &str, out: &mut Vec<Node<'v>>) -> Result<()> {
    if node.component()? != "Sequence" {
        out.push(node.clone());
        return Ok(());
    }
    // Depth is bounded by the parser's own limit.
    node.field(list)?.items()?.try_for_each(|item| flatten(&item, list, out))
}

/// Returns the components of a stage, in order; none for null.
pub fn components<'v>(node: &Node<'v>, list: &str) -> Result<Vec<Node<'v>>> {
    let mut out = Vec::new();
    if !node.is_null() {
        flatten(node, list, &mut out)?;
    }
    Ok(out)
}

/// Reads what is looked for: `{"Regex": …}` or `{"String": …}`.
pub fn needle(node: &Node<'_>) -> Result<Needle> {
    match (node.find("Regex")?, node.find("String")?) {
        (Some(regex), None) => Ok(Needle::Pattern(regex.text()?.to_owned())),
        (None, Some(text)) => Ok(Needle::Text(text.text()?.to_owned())),
        _ => Err(node.refuse("expected one of {\"Regex\": …} and {\"String\": …}")),
    }
}

/// Reads a text of one character.
pub fn character(node: &Node<'_>) -> Result<char> {
    let mut characters = node.text()?.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err(node.refuse("expected one character")),
    }
}

/// Reads what becomes of matches.
pub fn behavior(node: &Node<'_>) -> Result<Behavior> {
    Ok(match node.text()? {
        "Removed" => Behavior::Removed,
        "Isolated" => Behavior::Isolated,
        "MergedWithPrevious" => Behavior::MergedWithPrevious,
        "MergedWithNext" => Behavior::MergedWithNext,
        "Contiguous" => Behavior::Contiguous,
        other => return Err(node.refuse(format!("there is no behavior {other:?}"))),
    })
}

/// Refuses a text that is none of `choices`.
fn check_choice(node: &Node<'_>, choices: &[&str]) -> Result<()> {
    let text = node.text()?;
    if choices.contains(&text) {
        return Ok(());
    }
    Err(node.refuse(format!("{text:?} is none of {}", choices.join(", "))))
}

const DIRECTIONS: [&str; 2] = ["Left", "Right"];

/// Checks the file's own truncation.
///
/// # Errors
/// [`crate::error::Error::Format`] where it has not the shape that the reference asks for.
pub fn check_truncation(node: &Node<'_>) -> Result<()> {
    if node.is_null() {
        return Ok(());
    }
    node.field("max_length")?.number()?;
    node.field("stride")?.number()?;
    check_choice(&node.field("strategy")?, &["LongestFirst", "OnlyFirst", "OnlySecond"])?;
    node.find("direction")?.map_or(Ok(()), |direction| check_choice(&direction, &DIRECTIONS))
}

/// Checks the file's own padding.
///
/// # Errors
/// [`crate::error::Error::Format`] where it has not the shape that the reference asks for.
pub fn check_padding(node: &Node<'_>) -> Result<()> {
    if node.is_null() {
        return Ok(());
    }
    let strategy = node.field("strategy")?;
    if strategy.value().is_object() {
        strategy.field("Fixed")?.number()?;
    } else {
        check_choice(&strategy, &["BatchLongest"])?;
    }
    check_choice(&node.field("direction")?, &DIRECTIONS)?;
    if let Some(multiple) = node.find("pad_to_multiple_of")?.filter(|multiple| !multiple.is_null()) {
        multiple.number()?;
    }
    node.field("pad_id")?.number()?;
    node.field("pad_type_id")?.number()?;
    node.field("pad_token")?.text().map(drop)
}
