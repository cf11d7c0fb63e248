"""What every image promises to the sandbox and to determinism, asked of the images themselves."""

import subprocess

import pytest

from renderers.image_digest import LABEL, NAMES, folder_digest, reference

QUESTIONS = """
id -u; echo "$LANG $TZ $HOME $SOURCE_DATE_EPOCH"; stat -c %a /work
find / -xdev -type f -perm /6000 2>/dev/null | wc -l
for family in serif sans-serif monospace emoji NoSuchFont 'serif:charset=4e2d'; do
    fc-match --format '%{family[0]}\\n' "$family"
done
find /tmp -mindepth 1 | wc -l
"""


def ask(name, *command):
    sandbox = [
        "docker", "run", "--rm", "--network", "none", "--read-only", "--cap-drop", "ALL",
        "--security-opt", "no-new-privileges", "--tmpfs", "/tmp:mode=1777",  # noqa: S108
        "--tmpfs", "/work:mode=1777", reference(name),
    ]  # fmt: skip
    done = subprocess.run([*sandbox, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_image_is_pinned_and_unprivileged(name):
    user, settings, mode, privileged, *families, written = ask(name, "sh", "-c", QUESTIONS)
    assert user == "65534"
    assert settings == "C.UTF-8 UTC /tmp 1735689600"
    assert mode == "1777"
    assert privileged == "0"
    assert families == [
        "Liberation Serif", "Liberation Sans", "Liberation Mono", "Noto Color Emoji",
        "Liberation Sans", "Noto Serif CJK SC",
    ]  # fmt: skip
    assert written == "0", "fontconfig found its cache stale and made another"


@pytest.mark.parametrize("name", NAMES)
def test_image_carries_the_digest_of_its_folder(name):
    form = f'{{{{index .Config.Labels "{LABEL}"}}}}'
    inspect = ["docker", "image", "inspect", "--format", form, reference(name)]
    told = subprocess.run(inspect, capture_output=True, text=True, check=True)
    assert told.stdout.strip() == folder_digest(name)


def test_tex_is_paranoid_without_being_told():
    variables = ("shell_escape", "openin_any", "openout_any")
    told = [ask("tex", "kpsewhich", f"-var-value={name}")[0] for name in variables]
    assert told == ["f", "p", "p"]
