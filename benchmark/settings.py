"""Settings: ``RERENDER_*`` variables, then ``rerender.toml`` where you are, then defaults."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

PROJECT = Path(__file__).resolve().parent.parent
"""The checkout that this application runs from."""


class Settings(BaseSettings):
    """All that a user may set; every field is also ``RERENDER_<FIELD>`` in the environment."""

    model_config = SettingsConfigDict(
        env_prefix="RERENDER_", toml_file="rerender.toml", extra="forbid", frozen=True
    )

    store: str = Field(
        default=str(PROJECT / ".rerender" / "store"),
        description="where blobs, journals and snapshots lie: a folder or an fsspec URL",
    )
    reports: Path = Field(
        default=PROJECT / "reports-out", description="folder that reports are written to"
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
    model_base_url: str | None = Field(
        default=None, description="OpenAI-compatible endpoint, e.g. of a local server"
    )
    mindbench_folder: Path | None = Field(
        default=None, description="a local copy of the published MindBench sets; None: download"
    )
    mindbench_revision: str | None = Field(
        default=None, description="commit of the MindBench data set; None: the newest"
    )
    mindmap_folder: Path | None = Field(
        default=None, description="a file or folder of mind maps, for the source mindmap-files"
    )
    reasoning_fallback: bool = Field(
        default=False,
        description="read an answer from the reasoning when the answer itself is empty",
    )

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
