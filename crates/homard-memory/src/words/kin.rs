//! Words people use for the same thing in everyday English: who asks what was decided is told of what was settled on. A
//! word's kin counts less than the word, so a wrong one costs little; what takes a whole sentence to see is left to vectors.

use std::sync::LazyLock;

use super::{Language, Stems, number};

const GROUPS: [&str; 92] = [
    "decide decision choose choice settle agree pick opt conclude",
    "buy purchase acquire",
    "sell sold sale",
    "eat food meal dish diet serve",
    "cook bake recipe",
    "allergy allergic intolerant intolerance",
    "drink beverage",
    "dinner supper",
    "restaurant cafe diner",
    "trip travel journey vacation holiday visit tour destination",
    "stay sleep hotel lodging accommodation overnight",
    "flight fly plane airport",
    "job work career profession occupation employ",
    "company business firm employer startup",
    "boss manager supervisor",
    "colleague coworker",
    "salary wage income",
    "live reside residence home",
    "house apartment flat",
    "move relocate",
    "child kid son daughter baby toddler",
    "wife husband spouse partner",
    "marry marriage wedding",
    "girlfriend boyfriend relationship",
    "friend buddy pal",
    "mother mom mum parent",
    "father dad parent",
    "brother sister sibling",
    "grandmother grandma granny",
    "grandfather grandpa",
    "relative family kin",
    "dog puppy pet",
    "cat kitten pet",
    "animal pet",
    "doctor physician medical clinic hospital",
    "sick ill illness disease unwell",
    "pain ache hurt injury",
    "medicine medication drug pill",
    "therapy therapist counsel counselor counseling",
    "begin start",
    "finish complete end",
    "stop quit cease",
    "teacher teach instructor lesson class course coach",
    "learn study train",
    "school university college",
    "degree graduate education diploma",
    "movie film cinema",
    "song music band concert",
    "book novel read author",
    "picture photo photograph image",
    "paint painting art artist draw drawing",
    "write wrote writing",
    "car vehicle drive",
    "bike bicycle cycle",
    "gift present",
    "party celebrate celebration",
    "birthday birth born",
    "price cost pay expensive cheap",
    "hobby pastime activity interest",
    "like love enjoy favorite favourite prefer",
    "hate dislike",
    "happy glad joy",
    "sad upset depressed",
    "angry mad furious",
    "afraid scared fear",
    "worried anxious anxiety stress",
    "phone telephone",
    "mail email",
    "meet meeting appointment",
    "speak talk discuss conversation chat",
    "help support assist",
    "volunteer charity donate",
    "win won award prize",
    "build construct",
    "fix repair mend",
    "shop store market",
    "garden plant flower",
    "hike hiking walk trek",
    "run jog marathon",
    "swim swimming pool",
    "exercise workout gym fitness",
    "camp camping tent",
    "beach sea ocean coast",
    "city town",
    "die death dead",
    "plan intend intention",
    "goal aim dream",
    "name call",
    "reason because cause",
    "problem issue trouble difficulty",
    "join attend participate partake",
    "database db dbms",
];

/// Each stem by its number, in order, with a group it is in. The stems themselves are made when somebody asks: held as
/// texts they were a hundred times as large.
static GROUP_OF: LazyLock<Vec<(u32, usize)>> = LazyLock::new(|| {
    let stems = Stems::of(Language::English);
    let of_group = |(place, group): (usize, &&str)| {
        let numbers = group.split(' ').map(|word| (number(&stems.term(word)), place));
        numbers.collect::<Vec<_>>()
    };
    let mut all: Vec<(u32, usize)> = GROUPS.iter().enumerate().flat_map(of_group).collect();
    all.sort_unstable();
    all.dedup();
    all
});

pub(super) fn make_table() {
    LazyLock::force(&GROUP_OF);
}

/// Terms that mean about the same as an English one.
pub(crate) fn kin(term: &str) -> Vec<String> {
    let wanted = number(term);
    let from = GROUP_OF.partition_point(|(number, _)| *number < wanted);
    let groups = GROUP_OF.iter().skip(from).take_while(|(number, _)| *number == wanted);
    let stems = Stems::of(Language::English);
    let mut kin: Vec<String> = Vec::new();
    for group in groups.filter_map(|(_, place)| GROUPS.get(*place)) {
        for other in group.split(' ').map(|word| stems.term(word)) {
            if other != term && !kin.contains(&other) {
                kin.push(other);
            }
        }
    }
    kin
}

#[cfg(test)]
mod tests {
    use super::kin;

    #[test]
    fn a_word_in_two_groups_has_the_kin_of_both_and_others_have_none() {
        assert_eq!(kin("phone"), ["telephon"]);
        assert_eq!(kin("pet"), ["dog", "puppi", "cat", "kitten", "anim"]);
        assert_eq!(kin("zebra"), [""; 0]);
    }
}
