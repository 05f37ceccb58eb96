//! A word before every answer, such as the name of who speaks.

/// What a prefix may tell. What is not known stays as it was written in the template.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrefixFacts {
    /// Who made the model.
    pub provider: Option<String>,
    /// The model's whole name there.
    pub model: Option<String>,
    /// How much it thinks.
    pub thinking: Option<String>,
    pub name: Option<String>,
}

/// The template that stands for the assistant's name in brackets.
const AUTO: &str = "auto";

/// `text` after the prefix, unless it begins with it already or there is no text.
#[must_use]
pub fn with_prefix(template: &str, facts: &PrefixFacts, text: &str) -> String {
    let prefix = match template.trim() {
        AUTO => facts.name.as_ref().map(|name| format!("[{name}]")).unwrap_or_default(),
        template => filled(template, facts),
    };
    if prefix.is_empty() || text.is_empty() || text.starts_with(&prefix) {
        return text.to_owned();
    }
    format!("{prefix} {text}")
}

/// The template with what is known in place of `{its names}`.
fn filled(template: &str, facts: &PrefixFacts) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after.split_once('}').and_then(|(name, tail)| Some((facts.named(name)?, tail)));
        if let Some((value, tail)) = known {
            out.push_str(&value);
            rest = tail;
        } else {
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

impl PrefixFacts {
    fn named(&self, name: &str) -> Option<String> {
        match name.to_ascii_lowercase().as_str() {
            "model" => self.model.as_deref().map(short),
            "modelfull" => {
                let model = self.model.as_deref()?;
                Some(self.provider.as_ref().map_or_else(|| model.to_owned(), |by| format!("{by}/{model}")))
            }
            "provider" => self.provider.clone(),
            "thinkinglevel" | "think" => self.thinking.clone(),
            "identity.name" | "identityname" => self.name.clone(),
            _ => None,
        }
    }
}

/// A model's name without who serves it, `-latest` and the date of its making.
fn short(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    match name.rsplit_once('-') {
        Some((bare, date)) if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) => {
            bare.to_owned()
        }
        Some(_) | None => name.to_owned(),
    }
}
