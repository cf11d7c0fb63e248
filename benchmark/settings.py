"""Settings: ``RERENDER_*`` variables, then ``rerender.toml`` where you are, then defaults."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

PROJECT = Path(__file__).resolve().parent.parent
"""The checkout that this application runs from."""

CREDENTIALS = re.compile(r"//[^/@\s]*@")
"""What stands before the host of an address and is nobody's business."""


SLOTS_OF = r"^(provider|container)-[^\s/&%><\"]+$"
"""What slots are counted of, as a name that Prefect takes."""


class Settings(BaseSettings):
    """All that a user may set; every field is also ``RERENDER_<FIELD>`` in the environment."""

    model_config = SettingsConfigDict(
        env_prefix="RERENDER_",
        toml_file="rerender.toml",
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,  # it may be a token under a misspelled name
    )

    store: str = Field(
        default=str(PROJECT / ".rerender" / "store"),
        description="where blobs, journals and snapshots lie: a folder, or s3://bucket/part",
    )
    reports: Path = Field(
        default=PROJECT / "reports-out", description="folder that reports are written to"
    )
    report_url: str | None = Field(
        default=None,
        pattern=r"^https?://\S+$",
        description="address that this folder is published at, for links in Prefect's interface",
    )
    workers: int = Field(
        default_factory=lambda: max(1, os.cpu_count() or 1),
        ge=1,
        description="renderings and scorings at the same time",
    )
    batch: int = Field(default=32, ge=1, description="instances in one Prefect task run")
    container_runtime: str | None = Field(
        default=None, description="OCI runtime for the sandboxes, e.g. runsc; None: the engine's"
    )
    device: str = Field(
        default="cpu", description="where networks of metrics run, e.g. cuda; part of the keys"
    )
    seed: int = Field(default=0, description="seed of every random choice")
    model_concurrency: int = Field(default=8, ge=1, description="requests in flight per model")
    model_max_tokens: int = Field(default=4096, ge=1, description="output tokens per answer")
    model_timeout: float = Field(default=180.0, gt=0, description="seconds for one request")
    model_retries: int = Field(default=5, ge=0, description="retries of a failed request")
    provider_slots: int = Field(
        default=64,
        ge=1,
        description="requests in flight at one provider, all runs of a Prefect server together",
    )
    container_slots: int = Field(
        default=256,
        ge=1,
        description="renderings at work by one renderer, all runs of a Prefect server together",
    )
    slots: dict[Annotated[str, Field(pattern=SLOTS_OF)], Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict,
        description="such numbers of its own for a provider or renderer, as a JSON object: "
        '{"provider-openai": 16, "container-tex": 4}',
    )
    prices: dict[str, tuple[float, float]] = Field(
        default_factory=dict,
        description="model to dollars for a million tokens of input and output, as a JSON object",
    )
    model_base_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint, e.g. of a local server"
    )
    judge: str = Field(
        default="offline",
        description="who gives points for free answers: offline (by the words alone), or a model, "
        "e.g. openai/gpt-4.1",
    )
    judge_base_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint of the judge, e.g. of a local server"
    )
    mindbench_folder: Path | None = Field(
        default=None, description="a local copy of the published MindBench sets; None: download"
    )
    mindbench_revision: str | None = Field(
        default=None, description="commit of the MindBench data set; None: the pinned one"
    )
    flowce_folder: Path | None = Field(
        default=None, description="a local copy of FlowCE's repository; None: download"
    )
    flowce_revision: str | None = Field(
        default=None, description="commit of FlowCE's repository; None: the one built in"
    )
    flowce_images: Path | None = Field(
        default=None, description="a folder of FlowCE's pictures; None: download each from its link"
    )
    mindmap_folder: Path | None = Field(
        default=None, description="a file or folder of mind maps, for the source mindmap-files"
    )
    models: list[str] = Field(
        default=["oracle", "blank", "ocr"],
        min_length=1,
        description="who is asked when nobody is named, e.g. by the weekly run",
    )
    refresh_sources: list[str] = Field(
        default=["bundled"],
        min_length=1,
        description="where the weekly run gets fresh material; all: every site that is set up",
    )
    prefect_home: Path = Field(
        default=PROJECT / ".rerender" / "prefect",
        description="folder of the Prefect server that `rerender up` starts",
    )
    prefect_database: SecretStr | None = Field(
        default=None,
        description="PostgreSQL for that server, postgresql+asyncpg://user:password@host/database; "
        "None: SQLite in its folder",
    )
    prefect_port: int = Field(default=4200, ge=1, le=65535, description="port of that server")
    webhook: SecretStr | None = Field(
        default=None, description="address that is told of failed runs and finished refreshes"
    )
    contact: str | None = Field(
        default=None,
        description="how sites reach who runs this: an e-mail or web address in the User-Agent",
    )
    http_cache: Path = Field(
        default=PROJECT / ".rerender" / "http", description="folder of what sites have answered"
    )
    http_retries: int = Field(default=4, ge=0, description="retries of a request to a site")
    http_longest_wait: float = Field(
        default=120.0, ge=0, description="most seconds that a site may ask to wait at once"
    )
    mirrors: dict[str, str] = Field(
        default_factory=dict,
        description="host to the address that is asked in its place, as a JSON object",
    )
    github_token: SecretStr | None = Field(
        default=None, description="a token for GitHub's API: 5,000 instead of 60 requests an hour"
    )
    arxiv_categories: tuple[str, ...] = Field(
        default=(
            "cs.*", "econ.*", "eess.*", "math.*", "physics.*", "q-bio.*", "q-fin.*", "stat.*",
        ),
        description="categories of arXiv, asked in turns; .* for all of an archive; a JSON array",
    )  # fmt: skip
    arxiv_listing: Literal["search", "oai"] = Field(
        default="search",
        description="how papers are found at arXiv: by its query interface, or, where that is "
        "down, by its list of changed records",
    )
    perspective_key: SecretStr | None = Field(
        default=None, description="a key of the Perspective API, asked besides the local check"
    )
    imslp_username: str | None = Field(
        default=None, description="an account at IMSLP, needed to download scores"
    )
    imslp_password: SecretStr | None = Field(default=None, description="its password")
    imslp_accept_terms: bool = Field(
        default=False,
        description="whether you accept IMSLP's terms and may download; see docs/sources.md",
    )
    i2s_folder: Path | None = Field(
        default=None, description="a local copy of the published Image2Struct sets; None: download"
    )
    i2s_revision: str | None = Field(
        default=None,
        description="commits of the Image2Struct sets, set=commit between commas; None: the pinned",
    )
    i2s_split: Literal["validation", "test"] = Field(
        default="validation", description="split of the Image2Struct sets; HELM's is validation"
    )
    i2s_compare: Literal["picture", "drawing"] | None = Field(
        default=None,
        description="what answers to the Image2Struct sets are compared with: the published "
        "picture, as in HELM, or our drawing of the structure; None: the picture, or what a set "
        "that was exported says",
    )
    folder: Path | None = Field(
        default=None, description="a folder of material of your own, for the source folder"
    )
    map_urls: Path | None = Field(
        default=None, description="a file of addresses of mind maps, a line each"
    )
    reasoning_fallback: bool = Field(
        default=False,
        description="read an answer from the reasoning when the answer itself is empty",
    )

    @field_validator("mirrors")
    @classmethod
    def _are_addresses(cls, mirrors: dict[str, str]) -> dict[str, str]:
        for host, address in mirrors.items():
            if not _is_plain_address(address):
                raise ValueError(
                    f"the mirror of {host} is no http(s) address without user name and query"
                )
        return mirrors

    @field_validator("prefect_database")
    @classmethod
    def _is_postgresql(cls, address: SecretStr | None) -> SecretStr | None:
        if address is None or address.get_secret_value().startswith("postgresql+asyncpg://"):
            return address
        raise ValueError("it does not begin with postgresql+asyncpg://")

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Leave out the user names and passwords of addresses (a store, an endpoint)."""
        for name, value in super().__repr_args__():
            yield name, CREDENTIALS.sub("//…@", value) if isinstance(value, str) else value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments win over the environment, the environment over the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def _is_plain_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        return False
    plain = not (parts.query or parts.fragment or "@" in parts.netloc)
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and plain
