//! A diary of people who do not exist, and questions about it whose answers are known: notes by day, decisions, talk between
//! two, in several languages. Everything follows from the seed.

use std::fmt::Write as _;

use jiff::ToSpan as _;
use jiff::civil::{Date, date};

/// Files by path, and what can be asked about them.
pub(crate) struct Diary {
    pub(crate) files: Vec<(String, String)>,
    pub(crate) questions: Vec<Asked>,
}

/// A question and the line that answers it.
pub(crate) struct Asked {
    pub(crate) kind: &'static str,
    pub(crate) words: String,
    pub(crate) path: String,
    pub(crate) line: usize,
}

/// The day on which questions are asked.
pub(crate) const TODAY: Date = date(2026, 11, 18);

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap_or(0)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

const PEOPLE: [&str; 10] =
    ["Caroline", "Melanie", "Tobias", "Priya", "Jonas", "Amélie", "Kofi", "Ingrid", "Mateo", "Yuki"];
const THINGS: [&str; 16] = [
    "a second-hand cello",
    "blue running shoes",
    "a cast-iron pan",
    "a telescope",
    "a folding kayak",
    "a bread maker",
    "a leather armchair",
    "a film camera",
    "a sewing machine",
    "an espresso grinder",
    "a wool carpet",
    "a road bike",
    "a pair of skis",
    "a turntable",
    "a greenhouse kit",
    "a drawing tablet",
];
const SHOPS: [&str; 10] = [
    "the flea market",
    "an auction house",
    "Baxter's store",
    "the harbour shop",
    "a charity sale",
    "the corner dealer",
    "Nordwind outlet",
    "the village fair",
    "an online forum",
    "the museum shop",
];
const PLACES: [&str; 14] = [
    "Lisbon",
    "Tromsø",
    "the Dolomites",
    "Kyoto",
    "Marrakesh",
    "Gdańsk",
    "Patagonia",
    "Edinburgh",
    "Crete",
    "Ljubljana",
    "Vermont",
    "Valparaíso",
    "Hanoi",
    "Zanzibar",
];
const LODGINGS: [&str; 8] = [
    "a converted lighthouse",
    "a monastery guesthouse",
    "a treehouse",
    "a houseboat",
    "an old mill",
    "a yurt",
    "a vineyard cottage",
    "a mountain hut",
];
const PROJECTS: [&str; 10] = [
    "the billing service",
    "the mobile app",
    "the search page",
    "the data warehouse",
    "the newsletter",
    "the sensor network",
    "the booking portal",
    "the archive",
    "the payroll export",
    "the map viewer",
];
const TOOLS: [&str; 12] = [
    "PostgreSQL",
    "Kafka",
    "SQLite",
    "GraphQL",
    "Terraform",
    "Redis",
    "Svelte",
    "Elixir",
    "Parquet",
    "WireGuard",
    "gRPC",
    "Grafana",
];
const REASONS: [&str; 8] = [
    "the licence is simpler",
    "nobody wants to run another server",
    "the team knows it already",
    "backups are easy to test",
    "latency was too high before",
    "the vendor raised the price",
    "it survives a lost connection",
    "audits ask for it",
];
const FOODS: [&str; 10] = [
    "peanuts",
    "shellfish",
    "raw onions",
    "goat cheese",
    "mushrooms",
    "rye bread",
    "aubergine",
    "strawberries",
    "oysters",
    "coriander",
];
const TROUBLES: [&str; 6] =
    ["a rash", "a headache", "stomach pain", "a swollen lip", "no sleep at all", "hiccups"];
const ANIMALS: [&str; 8] = ["puppy", "tortoise", "parrot", "kitten", "rabbit", "hamster", "pony", "ferret"];
const PETS: [&str; 12] = [
    "Biscuit", "Odin", "Pepper", "Zelda", "Mango", "Figaro", "Clover", "Basil", "Nugget", "Saffron",
    "Turnip", "Quill",
];
const HOBBIES: [&str; 10] = [
    "pottery",
    "fencing",
    "sign language",
    "beekeeping",
    "calligraphy",
    "tango",
    "woodcarving",
    "archery",
    "juggling",
    "sailing",
];
const TEACHERS: [&str; 10] = [
    "Mrs Okafor",
    "Señor Ruiz",
    "Dr Lindqvist",
    "old Mr Hale",
    "Nadia",
    "Father Brendan",
    "Ms Tanaka",
    "Coach Weber",
    "Lucía",
    "Henrik",
];
const ADVICE: [&str; 8] = [
    "walk half an hour after lunch",
    "cut down on salt",
    "see a physiotherapist",
    "sleep with the window open",
    "wear a splint at night",
    "drink less coffee",
    "take iron tablets",
    "rest the left knee",
];
const CITIES: [&str; 8] = ["Porto", "Leeds", "Graz", "Tallinn", "Bergen", "Lyon", "Split", "Ghent"];
const JOBS: [&str; 8] = [
    "midwife",
    "stage designer",
    "tram driver",
    "botanist",
    "notary",
    "glassblower",
    "translator",
    "firefighter",
];
const CHATTER: [&str; 16] = [
    "How have you been lately?",
    "Oh, that sounds wonderful, tell me more.",
    "I had such a long week at work.",
    "The weather has been strange, rain every day.",
    "I totally understand what you mean.",
    "Let's catch up again soon!",
    "Did you sleep well?",
    "Haha, that is so like you.",
    "I was thinking about you the other day.",
    "It is important to take time for oneself.",
    "By the way, the neighbours say hello.",
    "Thanks, that means a lot to me.",
    "I am proud of you, really.",
    "We should cook together some time.",
    "What are your plans for the weekend?",
    "That reminds me of our school days.",
];
const REMARKS: [&str; 10] = [
    "Slept badly, coffee helped.",
    "Mails answered, two left for tomorrow.",
    "Rain until noon.",
    "The bus was late again.",
    "Called the plumber, no answer.",
    "Lunch with the usual crowd.",
    "Quiet evening, read a little.",
    "Paid the bills.",
    "The printer is out of ink.",
    "Watered the plants.",
];

/// Something that was the case, how it was put, and how it may be asked.
struct Fact {
    kind: &'static str,
    /// By the one who says it, in talk.
    said: String,
    /// By somebody who notes it.
    noted: String,
    asked: Vec<String>,
}

fn fact(dice: &mut Dice, who: &str) -> Fact {
    let whole = |kind, said: String, noted: String, asked: Vec<String>| Fact { kind, said, noted, asked };
    match dice.roll(9) {
        0 => {
            let (thing, shop) = (dice.pick(&THINGS), dice.pick(&SHOPS));
            let bare = thing.split_once(' ').map_or(thing, |(_, bare)| bare);
            whole(
                "names",
                format!("I finally bought {thing} at {shop}, and it was cheaper than I feared."),
                format!("{who} came home with {thing}, found at {shop}."),
                vec![format!("What did {who} buy at {shop}?"), format!("Where did {who} get the {bare}?")],
            )
        }
        1 => {
            let (place, lodging) = (dice.pick(&PLACES), dice.pick(&LODGINGS));
            whole(
                "names",
                format!("We went to {place} and slept in {lodging}, it was like a dream."),
                format!("{who} is back from {place}; they slept in {lodging}."),
                vec![
                    format!("Where did {who} stay during the trip to {place}?"),
                    format!("Which destination did {who} visit and sleep in {lodging}?"),
                ],
            )
        }
        2 => {
            let (project, tool, reason) = (dice.pick(&PROJECTS), dice.pick(&TOOLS), dice.pick(&REASONS));
            whole(
                "decision",
                format!("At work we settled on {tool} for {project}, mostly because {reason}."),
                format!("Decided with {who}: {project} runs on {tool}, because {reason}."),
                vec![
                    format!("What did {who} and the team decide to use for {project}?"),
                    format!("Why was {tool} chosen for {project}?"),
                ],
            )
        }
        3 => {
            let (food, trouble) = (dice.pick(&FOODS), dice.pick(&TROUBLES));
            whole(
                "negation",
                format!("I can't eat {food} any more, the last time I got {trouble}."),
                format!("{who} does not eat {food}: it ends with {trouble}."),
                vec![
                    format!("What must {who} not be served because of {trouble}?"),
                    format!("Does {who} eat {food}?"),
                ],
            )
        }
        4 => {
            let (animal, pet) = (dice.pick(&ANIMALS), dice.pick(&PETS));
            whole(
                "names",
                format!("We adopted a {animal} from the shelter, her name is {pet}!"),
                format!("{who} adopted a {animal} from the shelter and calls it {pet}."),
                vec![
                    format!("What is the name of the {animal} {who} has?"),
                    format!("Which pet of {who} is called {pet}?"),
                ],
            )
        }
        _ => life(dice, who),
    }
}

/// What happens to people, as opposed to what they have.
fn life(dice: &mut Dice, who: &str) -> Fact {
    let whole = |kind, said: String, noted: String, asked: Vec<String>| Fact { kind, said, noted, asked };
    match dice.roll(4) {
        0 => {
            let (hobby, teacher) = (dice.pick(&HOBBIES), dice.pick(&TEACHERS));
            whole(
                "names",
                format!("I began learning {hobby}, {teacher} teaches me every week."),
                format!("{who} takes lessons in {hobby} with {teacher}."),
                vec![
                    format!("Who is {who}'s {hobby} teacher?"),
                    format!("What does {who} learn from {teacher}?"),
                ],
            )
        }
        1 => {
            let advice = dice.pick(&ADVICE);
            whole(
                "paraphrase",
                format!("The doctor told me to {advice}, let us see whether it works."),
                format!("{who} was at the doctor's: should {advice}."),
                vec![
                    format!("What medical advice did {who} get about having to {advice}?"),
                    format!("What did the physician recommend to {who}, {advice}?"),
                ],
            )
        }
        2 => {
            let (city, job) = (dice.pick(&CITIES), dice.pick(&JOBS));
            whole(
                "paraphrase",
                format!("My sister moved to {city}, she found work as a {job} there."),
                format!("{who}'s sister lives in {city} now and is a {job}."),
                vec![
                    format!("Where does the sister of {who} live, the {job}?"),
                    format!("What is the profession of {who}'s sibling in {city}?"),
                ],
            )
        }
        _ => {
            let (place, thing) = (dice.pick(&PLACES), dice.pick(&THINGS));
            whole(
                "paraphrase",
                format!("I lost {thing} on the way back from {place}, I could have cried."),
                format!("{who} left {thing} behind on the way back from {place}."),
                vec![
                    format!("What went missing when {who} returned from {place}?"),
                    format!("On which journey did {who} lose {thing}?"),
                ],
            )
        }
    }
}

/// Sentences of other languages: note and question.
fn foreign(dice: &mut Dice, who: &str) -> (String, String) {
    let (pet, city, tool) = (dice.pick(&PETS), dice.pick(&CITIES), dice.pick(&TOOLS));
    let rows = [
        (
            format!("{who} hat sich in {city} eine Wohnung mit großem Balkon angesehen und sofort zugesagt."),
            format!("Welche Wohnung hat {who} in {city} besichtigt und zugesagt?"),
        ),
        (
            format!("Der Tierarzt sagt, {pet} von {who} braucht ab jetzt jeden Morgen Tropfen."),
            format!("Was braucht {pet} laut Tierarzt von {who}?"),
        ),
        (
            format!("{who} a décidé de vendre la voiture et de prendre le train pour aller à {city}."),
            format!("Pourquoi {who} prend-il des trains vers {city}, qu'a-t-il décidé de vendre ?"),
        ),
        (
            format!("{who} ha comprado los billetes para {city} y no quiere llevar el ordenador."),
            format!("¿Qué billetes compró {who} para {city}?"),
        ),
        (
            format!("{who}さんは{city}のホテルを予約しました。朝食付きです。"),
            format!("{who}さんが予約した{city}のホテルは？"),
        ),
        (
            format!("我们和{who}决定把数据库迁移到{tool}，下个月开始。"),
            format!("{who}决定数据库迁移到{tool}吗？"),
        ),
        (
            format!("{who} решила продать дачу и купить квартиру в городе {city}."),
            format!("Что {who} решила продать, чтобы купить квартиру в {city}?"),
        ),
    ];
    let at = dice.roll(rows.len());
    rows.into_iter().nth(at).unwrap_or_default()
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn in_words(day: Date) -> String {
    format!("{} {}, {}", day.day(), MONTHS[usize::try_from(day.month() - 1).unwrap_or(0)], day.year())
}

impl Diary {
    /// A diary of so many days; about two questions come with each.
    pub(crate) fn new(seed: u64, days: usize) -> Self {
        let mut dice = Dice(seed);
        let mut diary = Self { files: Vec::new(), questions: Vec::new() };
        let mut day = date(2024, 1, 3);
        for number in 0..days {
            day = day.checked_add((1 + i64::try_from(dice.roll(5)).unwrap_or(0)).days()).unwrap_or(day);
            match dice.roll(5) {
                0 | 1 => diary.talk(&mut dice, day, number),
                2 => diary.abroad(&mut dice, day),
                _ => diary.note(&mut dice, day),
            }
        }
        diary
    }

    fn note(&mut self, dice: &mut Dice, day: Date) {
        let path = format!("memory/{day}.md");
        let mut text = format!("# {day}\n\n");
        for heading in ["Morning", "Work", "Evening"] {
            writeln!(text, "## {heading}\n\n{}", dice.pick(&REMARKS)).unwrap();
            for _ in 0..1 + dice.roll(2) {
                let who = dice.pick(&PEOPLE);
                let fact = fact(dice, who);
                writeln!(text, "{}", fact.noted).unwrap();
                self.ask(dice, &fact, (&path, text.lines().count()), (who, day));
            }
            writeln!(text, "{}\n", dice.pick(&REMARKS)).unwrap();
        }
        self.files.push((path, text));
    }

    fn talk(&mut self, dice: &mut Dice, day: Date, number: usize) {
        let path = format!("memory/talks/session-{number}.md");
        let first = dice.roll(PEOPLE.len());
        let pair = [PEOPLE[first], PEOPLE[(first + 1 + dice.roll(PEOPLE.len() - 1)) % PEOPLE.len()]];
        let mut text = format!(
            "# Session {number}, {}:{:02} pm on {}\n\n",
            1 + dice.roll(11),
            dice.roll(60),
            in_words(day)
        );
        for turn in 0..24 + dice.roll(30) {
            let who = pair[turn % 2];
            if dice.roll(7) == 0 {
                let fact = fact(dice, who);
                writeln!(text, "{who}: {} {}", dice.pick(&CHATTER), fact.said).unwrap();
                self.ask(dice, &fact, (&path, text.lines().count()), (who, day));
            } else {
                writeln!(text, "{who}: {} {}", dice.pick(&CHATTER), dice.pick(&CHATTER)).unwrap();
            }
        }
        self.files.push((path, text));
    }

    fn abroad(&mut self, dice: &mut Dice, day: Date) {
        let path = format!("memory/{day}-notes.md");
        let mut text = String::new();
        for _ in 0..2 {
            let who = dice.pick(&PEOPLE);
            let (note, words) = foreign(dice, who);
            writeln!(text, "{note}").unwrap();
            let line = text.lines().count();
            self.questions.push(Asked { kind: "languages", words, path: path.clone(), line });
            text.push('\n');
        }
        self.files.push((path, text));
    }

    fn ask(&mut self, dice: &mut Dice, fact: &Fact, (path, line): (&str, usize), (who, day): (&str, Date)) {
        // Of two ways to ask one is taken; some ask with the day alone to tell alike things apart.
        let words = fact.asked[dice.roll(fact.asked.len())].clone();
        let (kind, words) = match dice.roll(4) {
            0 => ("dates", format!("{} It was on {}.", words, in_words(day))),
            1 => (
                "dates",
                format!(
                    "{} ({} {}, {who})",
                    words,
                    MONTHS[usize::try_from(day.month() - 1).unwrap_or(0)],
                    day.year()
                ),
            ),
            _ => (fact.kind, words),
        };
        self.questions.push(Asked { kind, words, path: path.to_owned(), line });
    }
}
