//! Vectors for texts, asked of a configured provider: proof, reservation, answer, bill.
//!
//! One credential after the other is tried; there is no chain of models, because vectors of two models cannot
//! be compared.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use homard_llm::{
    EmbedRequest, Embedded, FailReason, LlmError, ModelError, ModelSpec, Price, Resolved, ThinkingLevel,
};
use homard_protocol::{CallOutcome, ModelRef, StopReason, Usage};
use homard_runtime::{OrCancel, millis};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::auth::{Candidate, Profiles, ProviderAuth};
use crate::budget::{MaxCost, Reservation};
use crate::failover::{CallRecord, call_target};
use crate::router::{ModelRouter, Run};

/// Bytes of text in a usual token, for providers that do not count.
const BYTES_PER_TOKEN: u64 = 4;
/// How an answered call ends in the usage table.
const ANSWERED: CallOutcome = CallOutcome::Stopped(StopReason::Stop);

/// Texts that are to become vectors.
#[derive(Debug, Clone)]
pub struct EmbedTexts {
    pub model: ModelRef,
    pub input: Vec<String>,
    /// How long vectors are to be; the model's own length when absent.
    pub dimensions: Option<u32>,
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum NotEmbedded {
    /// Nobody answers for the model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The provider did not.
    #[error("{}", .0.message)]
    Failed(LlmError),
}

impl ModelRouter {
    /// Asks the provider of a model for vectors, on a run's behalf.
    ///
    /// # Errors
    /// When the model is unknown, the budget is spent, or no credential brought an answer.
    pub fn embed<'a>(
        &'a self,
        wanted: &'a EmbedTexts,
        run: &'a Run,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Embedded, NotEmbedded>> {
        async move {
            let Resolved { provider, model } = self.models().resolve(&wanted.model)?;
            let is_listed = self.models().list().any(|known| Arc::ptr_eq(known, &model));
            // What a sibling costs says nothing about a model that only makes vectors.
            let price = if is_listed { model.price } else { Price::default() };
            let model = Arc::new(ModelSpec { price, ..ModelSpec::clone(&model) });
            let asking = Asking { desk: self, run, model, wanted, cancel };
            let answered = match self.auth().get(&wanted.model.provider) {
                None => asking.ask(&*provider, None).await,
                Some(auth) => asking.with_any(&*provider, auth).await,
            };
            answered.map_err(NotEmbedded::Failed)
        }
        .boxed()
    }
}

struct Asking<'a> {
    desk: &'a ModelRouter,
    run: &'a Run,
    model: Arc<ModelSpec>,
    wanted: &'a EmbedTexts,
    cancel: &'a CancellationToken,
}

type Proof<'a> = Option<(&'a Profiles, &'a ProviderAuth, &'a Candidate)>;

impl Asking<'_> {
    /// With one credential after the other, until one is accepted.
    async fn with_any(
        &self,
        provider: &dyn homard_llm::Provider,
        auth: &ProviderAuth,
    ) -> Result<Embedded, LlmError> {
        let profiles = self.desk.profiles(&self.run.spender.agent);
        let mut failed = None;
        for candidate in profiles.candidates(auth, None).await {
            match self.ask(provider, Some((&profiles, auth, &candidate))).await {
                Ok(vectors) => {
                    profiles.mark_good(&candidate);
                    return Ok(vectors);
                }
                Err(error) => {
                    profiles.mark_failed(&candidate, error.reason, error.retry_after);
                    let another_may = matches!(
                        error.reason,
                        FailReason::Auth | FailReason::Billing | FailReason::RateLimit
                    );
                    failed = Some(error);
                    if !another_may {
                        break;
                    }
                }
            }
        }
        match failed {
            Some(error) => Err(error),
            None => Err(profiles.nothing_usable(auth).await),
        }
    }

    async fn ask(&self, provider: &dyn homard_llm::Provider, proof: Proof<'_>) -> Result<Embedded, LlmError> {
        let credential = match proof {
            Some((profiles, auth, candidate)) => {
                Some(profiles.credential(auth, candidate, self.cancel).await?)
            }
            None => None,
        };
        let reservation = self.reserve().await?;
        let (began, at) = (Instant::now(), self.desk.clock().now_ms());
        let request = EmbedRequest {
            model: Arc::clone(&self.model),
            input: self.wanted.input.clone(),
            dimensions: self.wanted.dimensions,
            credential,
        };
        let asked = provider.embed(request).or_cancel(self.cancel).await;
        let answered = asked.unwrap_or_else(|_cancelled| Err(LlmError::aborted()));
        let usage = self.usage(answered.as_ref().ok());
        let outcome = answered.as_ref().map_or_else(|error| CallOutcome::Failed(error.reason), |_| ANSWERED);
        if let Some(reservation) = reservation {
            reservation.settle(&usage);
        }
        self.run.meter.call(CallRecord {
            at,
            target: call_target(
                &self.model,
                proof.map(|(_, _, candidate)| candidate.id.clone()),
                ThinkingLevel::Off,
            ),
            open: None,
            usage,
            estimated: answered.as_ref().is_ok_and(|vectors| vectors.tokens == 0),
            first_ms: None,
            total_ms: millis(began.elapsed()),
            outcome,
        });
        answered
    }

    async fn reserve(&self) -> Result<Option<Reservation>, LlmError> {
        let ledger = self.desk.ledger();
        if ledger.is_unlimited() {
            return Ok(None);
        }
        let worst = MaxCost::of_texts(&self.model, self.bytes());
        Ok(Some(ledger.reserve(&self.run.spender, worst, self.cancel).await?))
    }

    /// What the texts cost: as the provider counted, else guessed; nothing when there was no answer.
    fn usage(&self, answer: Option<&Embedded>) -> Usage {
        let Some(answer) = answer else { return Usage::default() };
        let guessed = self.bytes().div_ceil(BYTES_PER_TOKEN);
        let input = if answer.tokens == 0 { guessed } else { answer.tokens };
        let mut usage = Usage { input, total_tokens: input, ..Usage::default() };
        usage.cost = self.model.price.cost(&usage);
        usage
    }

    fn bytes(&self) -> u64 {
        self.wanted.input.iter().map(|text| u64::try_from(text.len()).unwrap_or(u64::MAX)).sum()
    }
}
