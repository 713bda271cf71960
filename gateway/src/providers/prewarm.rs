//! What writing a model's prompt cache ahead costs, on the books of the process. The prefix that is written serves the
//! calls of all tenants, so it is on no call's bill and on no tenant's.

use std::sync::Arc;

use models::anthropic::{self, Counter};
use pipeline::cost::Prices;
use pipeline::ports::Meter;

use crate::telemetry::metrics;

/// Counts each write: its tokens, and its cost by these prices.
#[must_use]
pub fn counter(prices: Prices) -> Counter {
    Arc::new(move |usage| {
        metrics::prewarmed(anthropic::NAME, name(usage.meter), usage.amount);
        if let Some(micros) = prices.cost(usage) {
            metrics::cost(anthropic::NAME, micros / 1e6);
        }
    })
}

const fn name(meter: Meter) -> &'static str {
    match meter {
        Meter::InputTokens => "input",
        Meter::CacheReadTokens => "cache_read",
        Meter::CacheWriteTokens => "cache_write",
        Meter::OutputTokens => "output",
        Meter::AudioMs | Meter::Characters | Meter::LineMs => "other",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::routing::post;
    use axum::{Json, Router};
    use models::conversation::Conversation;
    use models::model::Request;
    use serde_json::json;

    use super::super::cloud;
    use crate::config::{Config, Llm};
    use crate::telemetry::metrics;

    #[tokio::test]
    async fn a_prompt_cache_that_is_written_ahead_is_on_the_bill_of_the_process() {
        let recorder = metrics::recorder().unwrap();
        let answer = json!({"usage": {"input_tokens": 8, "cache_creation_input_tokens": 40_000,
            "cache_read_input_tokens": 0, "output_tokens": 0}});
        let app = Router::new().route("/v1/messages", post(async move || Json(answer.clone())));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        let text = format!(
            "[anthropic]\nbase_url = \"http://{address}\"\nmodel = \"claude-haiku-4-5\"\nprewarm = true\n"
        );
        let key = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "k".to_owned());
        let config = Config::from_text(&text, "x", &key).unwrap();
        let model = cloud::model(Llm::Anthropic, &config).unwrap();
        let conversation = Conversation { system: "Be brief.".to_owned(), ..Conversation::default() };
        model.warm(Request { conversation: conversation.into(), tools: [].into(), max_tokens: 1 });
        let mut shown = String::new();
        for _ in 0..500 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            shown = recorder.render();
            if shown.contains("quandura_cost_usd_total") {
                break;
            }
        }
        // 8 tokens at $1 and 40,000 at $1.25 a million.
        let cost =
            shown.lines().find_map(|l| l.strip_prefix("quandura_cost_usd_total{provider=\"anthropic\"} "));
        let cost: f64 = cost.unwrap_or_else(|| panic!("{shown}")).parse().unwrap();
        assert!((cost - 0.050_008).abs() < 1e-9, "{cost}");
        let written = "quandura_prewarm_tokens_total{provider=\"anthropic\",meter=\"cache_write\"} 40000";
        assert!(shown.contains(written), "{shown}");
    }
}
