//! English words whose forms no rule finds. Questions ask "what did she buy", notes say "bought": for talk this matters more
//! than anything else a stemmer does.

use std::collections::HashMap;
use std::sync::LazyLock;

/// A word and its other forms, one family a line.
const FAMILIES: &str = "\
become became
begin began begun
bend bent
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
child children
choose chose chosen choice
deal dealt
decide decision
die dead death
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
fly flew flown flight
foot feet
forget forgot forgotten
freeze froze frozen
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
lay laid
lead led
lean leant
learn learnt
leave left
lend lent
life lives
light lit
lose lost loss
man men
marry marriage
mean meant
meet met meeting
mouse mice
pay paid payment
person people
ride rode ridden
ring rang rung
rise rose risen
run ran
sell sold sale
send sent
shake shook shaken
shoot shot
show shown
sing sang sung song
sit sat
sleep slept
speak spoke spoken speech
spend spent
stand stood
steal stole stolen
stick stuck
swim swam swum
teach taught
tear tore torn
think thought
throw threw thrown
tooth teeth
understand understood
wake woke woken
wear wore worn
wife wives
win won
woman women
write wrote written";

static BASES: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let families = FAMILIES.lines().map(|family| family.split_once(' '));
    families.flatten().flat_map(|(base, forms)| forms.split(' ').map(move |form| (form, base))).collect()
});

pub(super) fn make_table() {
    LazyLock::force(&BASES);
}

/// The word an irregular form is of.
pub(super) fn base(folded: &str) -> &str {
    BASES.get(folded).copied().unwrap_or(folded)
}
