//! What months, days and stretches of time are called, in the languages that are stemmed. Words are folded.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::Weekday;

use super::Unit;

const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janvier", "enero", "gennaio", "janeiro", "januari", "января", "январь"],
    &["february", "feb", "februar", "fevrier", "febrero", "febbraio", "fevereiro", "februari", "февраля"],
    &["march", "mar", "marz", "mars", "marzo", "marco", "maart", "марта", "март"],
    &["april", "apr", "avril", "abril", "aprile", "апреля", "апрель"],
    &["may", "mai", "mayo", "maggio", "maio", "mei", "мая", "май"],
    &["june", "jun", "juni", "juin", "junio", "giugno", "junho", "июня", "июнь"],
    &["july", "jul", "juli", "juillet", "julio", "luglio", "julho", "июля", "июль"],
    &["august", "aug", "aout", "agosto", "augustus", "августа", "август"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre", "setembro", "сентября"],
    &["october", "oct", "oktober", "octobre", "octubre", "ottobre", "outubro", "октября"],
    &["november", "nov", "novembre", "noviembre", "novembro", "ноября", "ноябрь"],
    &["december", "dec", "dezember", "decembre", "diciembre", "dicembre", "dezembro", "декабря"],
];

/// Each name with its month: every word of every note is looked up.
static MONTH_OF: LazyLock<HashMap<&'static str, i8>> = LazyLock::new(|| {
    let numbered = (1_i8..).zip(MONTHS);
    numbered.flat_map(|(month, names)| names.iter().map(move |name| (*name, month))).collect()
});

pub(crate) fn make_table() {
    LazyLock::force(&MONTH_OF);
}

/// The month a word names, from 1.
pub(super) fn month_of(word: &str) -> Option<i8> {
    MONTH_OF.get(word).copied()
}

/// The first month of a season of the northern half.
pub(super) fn season_of(word: &str) -> Option<i8> {
    match word {
        "spring" | "fruhling" | "fruhjahr" | "printemps" | "primavera" => Some(3),
        "summer" | "sommer" | "ete" | "verano" | "estate" => Some(6),
        "autumn" | "fall" | "herbst" | "automne" | "otono" => Some(9),
        _ => None,
    }
}

pub(super) fn weekday_of(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "montag" | "lundi" | "lunes" => Weekday::Monday,
        "tuesday" | "dienstag" | "mardi" | "martes" => Weekday::Tuesday,
        "wednesday" | "mittwoch" | "mercredi" | "miercoles" => Weekday::Wednesday,
        "thursday" | "donnerstag" | "jeudi" | "jueves" => Weekday::Thursday,
        "friday" | "freitag" | "vendredi" | "viernes" => Weekday::Friday,
        "saturday" | "samstag" | "sonnabend" | "samedi" | "sabado" => Weekday::Saturday,
        "sunday" | "sonntag" | "dimanche" | "domingo" => Weekday::Sunday,
        _ => return None,
    })
}

pub(super) fn unit_of(word: &str) -> Option<Unit> {
    Some(match word {
        "day" | "days" | "tag" | "tage" | "tagen" | "jour" | "jours" | "dia" | "dias" => Unit::Day,
        "weekend" | "weekends" | "wochenende" => Unit::Weekend,
        "week" | "weeks" | "woche" | "wochen" | "semaine" | "semaines" | "semana" | "semanas"
        | "settimana" => Unit::Week,
        "month" | "months" | "monat" | "monate" | "monaten" | "mois" | "mes" | "meses" | "mese" => {
            Unit::Month
        }
        "year" | "years" | "jahr" | "jahre" | "jahren" | "an" | "annee" | "ano" | "anos" | "anno" => {
            Unit::Year
        }
        _ => return None,
    })
}

/// Days from today, for words that name a day.
pub(super) fn day_word(word: &str) -> Option<i64> {
    Some(match word {
        "today" | "tonight" | "heute" | "aujourd" | "hoy" | "oggi" | "hoje" | "vandaag" => 0,
        "yesterday" | "gestern" | "hier" | "ayer" | "ieri" | "ontem" | "gisteren" => -1,
        "vorgestern" | "anteayer" => -2,
        "tomorrow" | "demain" | "manana" | "domani" | "amanha" | "morgen" => 1,
        _ => return None,
    })
}

pub(super) fn count_of(word: &str) -> Option<i64> {
    Some(match word {
        "a" | "an" | "one" | "einem" | "einer" | "un" | "une" => 1,
        "couple" | "two" | "zwei" | "deux" | "dos" => 2,
        "few" | "three" | "drei" | "trois" | "tres" => 3,
        "four" | "vier" | "quatre" | "cuatro" => 4,
        "five" | "funf" | "cinq" | "cinco" => 5,
        "six" | "sechs" | "seis" => 6,
        _ => return None,
    })
}

pub(super) fn is_ago(word: &str) -> bool {
    matches!(word, "ago" | "back" | "earlier" | "geleden" | "atras")
}

pub(super) fn is_back(word: &str) -> bool {
    matches!(
        word,
        "last"
            | "past"
            | "previous"
            | "letzte"
            | "letzten"
            | "letzter"
            | "letztes"
            | "letztem"
            | "vorige"
            | "vorigen"
            | "vergangene"
            | "vergangenen"
    )
}

pub(super) fn is_forth(word: &str) -> bool {
    matches!(
        word,
        "next" | "coming" | "nachste" | "nachsten" | "nachster" | "nachstes" | "kommende" | "kommenden"
    )
}

pub(super) fn is_this(word: &str) -> bool {
    matches!(word, "this" | "diese" | "diesen" | "dieser" | "dieses" | "diesem" | "cette" | "esta" | "este")
}
