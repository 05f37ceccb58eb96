//! Amazon Bedrock: `ListFoundationModels` of a region.

use homard_config::config::models::BedrockDiscovery;
use homard_llm::{FailReason, Fetch, LlmError, sign_get};
use homard_protocol::ModelId;
use serde_json::Value;

use super::FoundModel;
use super::ask::Question;
use super::listing::distinct;

/// The region of those who name none.
const DEFAULT_REGION: &str = "us-east-1";
/// Where calls go, which is not where lists are.
const CALLS: &str = "://bedrock-runtime.";
const LISTS: &str = "://bedrock.";

pub(super) async fn models(question: &Question<'_>) -> Result<Vec<FoundModel>, LlmError> {
    let settings = &question.parts.bedrock;
    let keys = question.proof.and_then(|proof| proof.aws.as_ref());
    let region = settings.region.as_deref().or_else(|| region_of(&question.target.base_url));
    let region = region.or(keys.map(|keys| keys.region.as_str())).unwrap_or(DEFAULT_REGION);
    let url = list_url(&question.target.base_url, region)?;
    let list = match keys {
        Some(keys) => {
            let mut keys = keys.clone();
            region.clone_into(&mut keys.region);
            let headers = sign_get(&url, &keys, question.parts.clock.now_ms())?;
            question.fetch(Fetch::get(&url).with_headers(headers)).await?
        }
        None => question.get(&url).await?,
    };
    read(&list, region, settings)
}

/// The list's address for the calls' address; one that is not Amazon's own (a proxy) is asked as it is.
fn list_url(base_url: &str, region: &str) -> Result<String, LlmError> {
    if region.is_empty() || !region.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        // It becomes part of a host name; anything else would send the keys' proof to another one.
        return Err(LlmError::new(
            FailReason::Auth,
            "the AWS region is not a region; check models.bedrockDiscovery.region",
        ));
    }
    let base = base_url.trim_end_matches('/');
    let base = match region_of(base) {
        Some(other) => base.replacen(other, region, 1),
        None => base.replace("{region}", region),
    };
    Ok(format!("{}/foundation-models", base.replacen(CALLS, LISTS, 1)))
}

/// The region in the address of Amazon's own servers.
fn region_of(base_url: &str) -> Option<&str> {
    let (_, rest) = base_url.split_once(CALLS)?;
    let region = rest.split('.').next()?;
    (!region.starts_with('{')).then_some(region)
}

/// Streaming text models that are on offer, of the makers the owner wants.
pub(super) fn read(
    list: &Value,
    region: &str,
    settings: &BedrockDiscovery,
) -> Result<Vec<FoundModel>, LlmError> {
    let Some(listed) = list.get("modelSummaries").and_then(Value::as_array) else {
        return Err(LlmError::new(FailReason::Format, "the server's answer is not Bedrock's list of models"));
    };
    let wanted = |item: &&Value| {
        let maker = item.get("providerName").and_then(Value::as_str).unwrap_or_default().to_lowercase();
        let status = item.get("modelLifecycle").and_then(|life| life.get("status")).and_then(Value::as_str);
        let streams = item.get("responseStreamingSupported").and_then(Value::as_bool) == Some(true);
        let filter = &settings.provider_filter;
        streams
            && has(item, "inputModalities", "TEXT")
            && has(item, "outputModalities", "TEXT")
            && status.is_none_or(|status| status == "ACTIVE")
            && (filter.is_empty() || filter.contains(&maker))
    };
    let described = listed.iter().filter(wanted).filter_map(|item| model(item, region, settings));
    Ok(distinct(described))
}

fn model(item: &Value, region: &str, settings: &BedrockDiscovery) -> Option<FoundModel> {
    let id = item.get("modelId")?.as_str()?;
    let mut found = FoundModel::named(ModelId::parse(&callable(id, item, region)).ok()?);
    found.name = item.get("modelName").and_then(Value::as_str).map(str::to_owned);
    found.sees = has(item, "inputModalities", "IMAGE");
    found.context_window = u32::try_from(settings.default_context_window).ok();
    found.max_tokens = u32::try_from(settings.default_max_tokens).ok();
    Some(found)
}

/// Newer models can only be called through a profile of several regions, whose name begins with the continent.
fn callable(id: &str, item: &Value, region: &str) -> String {
    let only_profile = has(item, "inferenceTypesSupported", "INFERENCE_PROFILE")
        && !has(item, "inferenceTypesSupported", "ON_DEMAND");
    let continent = match region.split('-').next() {
        Some("us") => "us.",
        Some("eu") => "eu.",
        Some("ap") => "apac.",
        _ => "",
    };
    if only_profile { format!("{continent}{id}") } else { id.to_owned() }
}

fn has(item: &Value, key: &str, word: &str) -> bool {
    let words = item.get(key).and_then(Value::as_array);
    words.into_iter().flatten().any(|other| other.as_str() == Some(word))
}
