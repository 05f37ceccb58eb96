//! Who an agent is to people, as the settings or its own note `IDENTITY.md` say it.

/// Who an agent is to the people it talks with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identity {
    pub name: Option<String>,
    pub theme: Option<String>,
    pub emoji: Option<String>,
    pub avatar: Option<String>,
}

impl Identity {
    /// Reads a note of lines such as `- Name: Clawd`; what it leaves blank, or still shows as a hint in brackets, is not
    /// said.
    #[must_use]
    pub fn of_note(text: &str) -> Self {
        let mut found = Self::default();
        for line in text.lines() {
            let line = line.trim().trim_start_matches(['-', '*']).trim();
            let Some((word, value)) = line.split_once(':') else { continue };
            let value = value.trim().trim_matches(['*', '_', '`']).trim();
            let is_hint = value.is_empty() || value.starts_with('(') || value.starts_with('[');
            let field = match word.trim().trim_matches(['*', '_']).to_lowercase().as_str() {
                "name" => &mut found.name,
                "theme" | "manner" | "vibe" => &mut found.theme,
                "emoji" => &mut found.emoji,
                "avatar" => &mut found.avatar,
                _ => continue,
            };
            if !is_hint && field.is_none() {
                *field = Some(value.to_owned());
            }
        }
        found
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;

    #[test]
    fn a_note_is_read_as_people_write_it() {
        let text = |text: &str| Some(text.to_owned());
        for (note, read) in [
            ("# You\n- Name:\n- Manner:\n- Emoji:\n", Identity::default()),
            (
                "# IDENTITY\n\n- **Name:** Clawd\n- **Theme:** space lobster\n* Emoji: 🦞\nAvatar: avatars/a.png\nName: other",
                Identity {
                    name: text("Clawd"),
                    theme: text("space lobster"),
                    emoji: text("🦞"),
                    avatar: text("avatars/a.png"),
                },
            ),
            (
                "- Name: _(pick something)_\n- Vibe: calm: mostly",
                Identity { theme: text("calm: mostly"), ..Identity::default() },
            ),
            ("no such lines", Identity::default()),
        ] {
            assert_eq!(Identity::of_note(note), read, "{note}");
        }
    }
}
