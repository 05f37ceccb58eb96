//! Which letters are the same letter: servers differ, and a nick or channel is the same in any of its spellings.

/// A server's rule, as it says in `CASEMAPPING`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum CaseMapping {
    Ascii,
    /// Also `{}|^`, which were the small letters of `[]\~` on the keyboards of Finland.
    #[default]
    Rfc1459,
    /// As before without `^` and `~`.
    Rfc1459Strict,
}

impl CaseMapping {
    /// The rule a server names; what we do not know is taken for the old one.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "ascii" | "rfc7613" | "rfc3454" => Self::Ascii,
            "rfc1459-strict" | "strict-rfc1459" => Self::Rfc1459Strict,
            _ => Self::Rfc1459,
        }
    }

    /// The one spelling that stands for all.
    pub(super) fn fold(self, text: &str) -> String {
        text.chars().map(|letter| self.fold_letter(letter)).collect()
    }

    pub(super) fn fold_letter(self, letter: char) -> char {
        match (self, letter) {
            (Self::Ascii, _) => letter.to_ascii_lowercase(),
            (_, '[') => '{',
            (_, ']') => '}',
            (_, '\\') => '|',
            (Self::Rfc1459, '~') => '^',
            _ => letter.to_ascii_lowercase(),
        }
    }

    /// Whether two names are the same.
    pub(super) fn same(self, one: &str, other: &str) -> bool {
        one.chars()
            .map(|letter| self.fold_letter(letter))
            .eq(other.chars().map(|letter| self.fold_letter(letter)))
    }
}

#[cfg(test)]
mod tests {
    use super::CaseMapping;

    #[test]
    fn names_are_the_same_in_all_spellings_of_the_servers_rule() {
        let rows = [
            (CaseMapping::Ascii, "Mia[1]", "mia[1]", true),
            (CaseMapping::Ascii, "Mia[1]", "mia{1}", false),
            (CaseMapping::Rfc1459, "Mia[1]\\~", "mia{1}|^", true),
            (CaseMapping::Rfc1459Strict, "Mia[1]\\", "mia{1}|", true),
            (CaseMapping::Rfc1459Strict, "mia~", "mia^", false),
            (CaseMapping::Rfc1459, "ÄRGER", "ärger", false),
            (CaseMapping::Rfc1459, "mia", "mia_", false),
        ];
        for (rule, one, other, same) in rows {
            assert_eq!(rule.same(one, other), same, "{rule:?} {one} {other}");
            assert_eq!(rule.fold(one) == rule.fold(other), same, "{rule:?} {one} {other}");
        }
    }

    #[test]
    fn an_unknown_rule_is_the_old_one() {
        assert_eq!(CaseMapping::named("something"), CaseMapping::Rfc1459);
        assert_eq!(CaseMapping::named("ascii"), CaseMapping::Ascii);
    }
}
