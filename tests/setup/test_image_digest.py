import os
import shutil
import subprocess
import sys

import pytest

from renderers import image_digest


@pytest.fixture
def containers(tmp_path):
    for folder in ("base", "tex", "web"):
        (tmp_path / "containers" / folder).mkdir(parents=True)
        (tmp_path / "containers" / folder / "Dockerfile").write_text(f"FROM scratch # {folder}\n")
    (tmp_path / "containers" / "tex" / "run").write_text("#!/bin/sh\n")
    return tmp_path / "containers"


def test_digest_does_not_depend_on_place_or_time(containers, tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(containers, copy)
    for path in copy.rglob("*"):
        os.utime(path, (1, 1))
    assert image_digest.folder_digest("tex", containers) == image_digest.folder_digest("tex", copy)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "tex" / "run").write_text("#!/bin/bash\n"),
        lambda folder: (folder / "tex" / "run").chmod(0o755),
        lambda folder: (folder / "tex" / "run").rename(folder / "tex" / "ran"),
        lambda folder: (folder / "tex" / "more").write_text(""),
        lambda folder: (folder / "base" / "fonts.conf").write_text("another font"),
    ],
    ids=["content", "executable", "name", "new file", "base"],
)
def test_digest_changes_with_all_that_an_image_is_built_from(containers, change):
    before = image_digest.folder_digest("tex", containers)
    change(containers)
    assert image_digest.folder_digest("tex", containers) != before


def test_digest_does_not_change_with_another_folder(containers):
    before = image_digest.folder_digest("tex", containers)
    (containers / "web" / "Dockerfile").write_text("FROM other\n")
    assert image_digest.folder_digest("tex", containers) == before


def test_moving_bytes_between_files_changes_the_digest(containers):
    (containers / "tex" / "a").write_text("xy")
    (containers / "tex" / "b").write_text("z")
    before = image_digest.folder_digest("tex", containers)
    (containers / "tex" / "a").write_text("x")
    (containers / "tex" / "b").write_text("yz")
    assert image_digest.folder_digest("tex", containers) != before


def test_a_folder_without_dockerfile_is_refused(containers):
    (containers / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="empty has no Dockerfile"):
        image_digest.folder_digest("empty", containers)


def test_reference_ends_in_the_digest(containers):
    digest = image_digest.folder_digest("web", containers)
    assert image_digest.reference("web", containers) == f"rerender-web:{digest[:12]}"


def test_script_needs_nothing_installed():
    script = image_digest.__file__
    told = subprocess.run(
        [sys.executable, "-S", "-I", script], capture_output=True, text=True, check=True
    )
    names, references, digests = zip(*map(str.split, told.stdout.splitlines()), strict=True)
    assert names == image_digest.NAMES
    assert list(references) == [image_digest.reference(name) for name in names]
    assert list(digests) == [image_digest.folder_digest(name) for name in names]
