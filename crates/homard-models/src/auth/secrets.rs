//! Telling the house which values must not be shown, as soon as they are read, renewed or exchanged.

use homard_llm::{ApiKey, Credential};
use homard_runtime::Redactor;

use super::document::{Document, Proof};

/// Everything a file of stored logins holds, used or not: a command could print it.
pub(super) fn keep_document(secrets: &Redactor, document: &Document) {
    let proofs = document.ids().into_iter().filter_map(|id| Some(document.profile(id)?.proof));
    let values: Vec<ApiKey> = proofs
        .flat_map(|proof| match proof {
            Proof::Key(key) => vec![key],
            Proof::Token { token, .. } => vec![token],
            Proof::OAuth(oauth) => {
                [Some(oauth.access), oauth.refresh, oauth.client_secret].into_iter().flatten().collect()
            }
            Proof::Unusable(_) => Vec::new(),
        })
        .collect();
    secrets.keep(values.iter().map(ApiKey::expose));
}

/// What a call is about to be made with.
pub(super) fn keep_credential(secrets: &Redactor, credential: &Credential) {
    let aws = credential
        .aws
        .iter()
        .flat_map(|keys| std::iter::once(&keys.secret_access_key).chain(keys.session_token.as_ref()));
    secrets.keep(credential.secret.iter().chain(aws).map(ApiKey::expose));
}
