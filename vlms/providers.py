"""What is known of each provider: its key, its client's own retries, its limits on pictures.

The limits are what the providers are known to accept for a picture sent inline as base64. They
change: a provider that accepts less answers with an error, which becomes ``image_too_large``. A
provider that is not in the table gets the limits of the OpenAI wire format.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vlms.images import Limits

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Provider:
    """Facts about one provider of inspect_ai."""

    keys: tuple[str, ...] = ()
    limits: Limits = field(default_factory=lambda: Limits(base64_bytes=20 * MEBIBYTE))
    client: str | None = None
    """The SDK (``openai``, ``anthropic``) whose HTTP client and retry count may be passed in."""
    any_endpoint: bool = False
    """Whether `model_base_url` may name a server of ours that wants no key."""


PROVIDERS = {
    "openai": Provider(("OPENAI_API_KEY",), client="openai", any_endpoint=True),
    "openai-api": Provider(client="openai", any_endpoint=True),
    "anthropic": Provider(
        ("ANTHROPIC_API_KEY",), Limits(base64_bytes=5 * MEBIBYTE, side=8000), client="anthropic"
    ),
    "google": Provider(("GOOGLE_API_KEY", "GEMINI_API_KEY"), Limits(base64_bytes=18 * MEBIBYTE)),
    "bedrock": Provider(("AWS_ACCESS_KEY_ID",), Limits(base64_bytes=5 * MEBIBYTE, side=8000)),
    "groq": Provider(("GROQ_API_KEY",), Limits(base64_bytes=4 * MEBIBYTE, pixels=33_177_600)),
    "mistral": Provider(("MISTRAL_API_KEY",), Limits(base64_bytes=10 * MEBIBYTE)),
    "grok": Provider(("XAI_API_KEY",), Limits(base64_bytes=10 * MEBIBYTE)),
    "together": Provider(("TOGETHER_API_KEY",)),
    "fireworks": Provider(("FIREWORKS_API_KEY",), Limits(base64_bytes=10 * MEBIBYTE)),
    "openrouter": Provider(
        ("OPENROUTER_API_KEY",), Limits(base64_bytes=5 * MEBIBYTE, side=8000), client="openai"
    ),
    "perplexity": Provider(("PERPLEXITY_API_KEY",), client="openai"),
    "deepseek": Provider(("DEEPSEEK_API_KEY",), client="openai"),
    "moonshot": Provider(("MOONSHOT_API_KEY",), client="openai"),
    "cloudflare": Provider(("CLOUDFLARE_API_TOKEN",), client="openai"),
}


def provider_of(name: str) -> Provider:
    """Return what is known of the provider that a model's name begins with."""
    prefix, *rest = name.split("/")
    known = PROVIDERS.get(prefix, Provider())
    if prefix == "openai-api" and len(rest) > 1:
        key = f"{rest[0].upper().replace('-', '_')}_API_KEY"
        return Provider((key,), known.limits, known.client, known.any_endpoint)
    return known
