//! Words people use for the same thing in everyday English: who asks what was decided is told of what was settled on. A
//! word's kin counts less than the word, so a wrong one costs little; what takes a whole sentence to see is left to vectors.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Language, Stems};

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

/// The stems of each group a stem is in.
static KIN: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let stems = Stems::of(Language::English);
    let mut kin: HashMap<String, Vec<String>> = HashMap::new();
    for group in GROUPS {
        let terms: Vec<String> = group.split(' ').map(|word| stems.term(word)).collect();
        for term in &terms {
            let known = kin.entry(term.clone()).or_default();
            let new: Vec<String> =
                terms.iter().filter(|other| *other != term && !known.contains(other)).cloned().collect();
            known.extend(new);
        }
    }
    kin
});

/// Terms that mean about the same as an English one.
pub(crate) fn kin(term: &str) -> &'static [String] {
    KIN.get(term).map_or(&[], Vec::as_slice)
}
