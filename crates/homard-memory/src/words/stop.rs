//! Small words that say little about what is looked for. They are weighed low, never left out: "to be or not to be" is
//! found by them alone.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Language;

const ENGLISH: &str = "a about above after again ago all also am an and any anyone anything are as at away be became because been before being below between both but by came can come could did do does doing done down during each ever every few for from further get gets give given go goes going gone good got had has have having he her here hers herself him himself his how i if in into is it its itself just kind know last let like made make makes many may me mention mentioned might more most much must my myself new no nor not now of off on once one only or other our ours out over own please recently said same say says see shall she should since so some something still such take tell than that the their theirs them themselves then there these they thing things think this those through time to told too type under until up upon us use used very want was way we well went were what when where which while who whom whose why will with would yes yet you your yours yourself";
const GERMAN: &str = "aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des dich die dies diese dieser doch dort du durch ein eine einem einen einer eines er es euch fur habe haben hat hatte hier ich ihm ihn ihr im in ist ja jede kann kein keine man mein mich mir mit nach nicht noch nun nur ob oder ohne schon sehr sein seine sich sie sind so und uns unser vom von vor wann war waren warum was wegen weil welche welcher welches wenn wer werden wie wieder will wir wird wo wurde zu zum zur uber";
const FRENCH: &str = "a ai alors au aucun aussi autre aux avait avec avez avoir c ce cela ces cet cette comme comment d dans de depuis des dont du elle elles en est et etait ete etre eu fait il ils j je jamais l la le les leur lui m ma mais me meme mes moi mon n ne nos notre nous on ou par pas plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tous tout toute tu un une vos votre vous y";
const SPANISH: &str = "a al algo ante antes aquel aqui asi aun como con cual cuando cuanto de del desde donde dos e el ella ellas ellos en entre era es esa ese eso esta estaba estan este esto estos fue fueron ha habia han hasta hay la las le les lo los mas me mi mis muy nada ni no nos nosotros o otra otro para pero poco por porque que quien se sea ser si sin sobre son su sus tambien te tiene todo tu tus un una uno unos y ya yo";
const ITALIAN: &str = "a ad ai al alla alle anche avere c che chi ci come con cosa cui da dal dalla dei del della delle di dove e ed era essere fa fra gli ha hanno ho i il in io l la le lei li lo loro lui ma me mi mia mio nei nel nella noi non nostro o per perche piu quale quando quanto quel quella questa questo qui sa se sei si sia sono sta sua sul sulla suo te ti tra tu tutti tutto un una uno vi voi";
const PORTUGUESE: &str = "a ao aos as ate com como da das de dela dele deles depois do dos e ela elas ele eles em entre era essa esse esta estava este eu foi foram ha isso isto ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso o onde os ou para pela pelo por porque qual quando que quem se sem ser seu seus so sua suas tambem te tem tinha tu um uma voce voces";
const DUTCH: &str = "aan al alles als altijd andere ben bij daar dan dat de deze die dit doch doen door dus een en er ge geen had heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon maar me meer men met mij mijn moet na naar niet niets nog nu of om omdat ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor waarom wanneer want waren was wat we wel werd wie wij wil worden zal ze zei zelf zich zij zijn zo zonder zou";
const RUSSIAN: &str = "а без более бы был была были было быть в вам вас весь во вот все вы где да даже для до его ее если есть еще же за и из или им их к как ко когда кто ли мне много можно мы на над нам нас не него нее нет ни них но ну о об он она они оно от по под при про с сам себя со так также там то того тоже той только том ты у уже хотя чего чей чем что чтобы эта эти это этот я";

/// Which languages each small word is of, as bits.
static BITS: LazyLock<HashMap<&'static str, u32>> = LazyLock::new(|| {
    let mut bits = HashMap::new();
    for language in Language::ALL {
        for word in words(language).split(' ') {
            *bits.entry(word).or_insert(0) |= language.bit();
        }
    }
    bits
});

pub(super) fn make_table() {
    LazyLock::force(&BITS);
}

fn words(language: Language) -> &'static str {
    match language {
        Language::English => ENGLISH,
        Language::German => GERMAN,
        Language::French => FRENCH,
        Language::Spanish => SPANISH,
        Language::Italian => ITALIAN,
        Language::Portuguese => PORTUGUESE,
        Language::Dutch => DUTCH,
        Language::Russian => RUSSIAN,
    }
}

/// The languages a folded word is a small one of, as bits.
pub(crate) fn languages_of(folded: &str) -> u32 {
    BITS.get(folded).copied().unwrap_or(0)
}
