"""What a hostile job can reach: nobody, no network, no disk, no neighbour."""

from __future__ import annotations

from tests.renderers.sandboxes import shell


def test_job_is_nobody_without_capabilities_or_new_privileges(pool):
    log = shell(pool, "id -u; id -G; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status").stdout
    assert log.splitlines()[:2] == ["65534", "65534"]
    status = dict(line.split(":\t") for line in log.splitlines()[2:])
    assert {status[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {
        "0" * 16
    }
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


def test_job_has_no_network(pool):
    probe = (
        "use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0) or die;"
        "connect($s, pack_sockaddr_in(53, inet_aton('1.1.1.1'))) or print $!;"
    )
    execution = shell(pool, f'ls /sys/class/net; perl -e "{probe.replace("$", chr(92) + "$")}"')
    assert execution.stdout.split("\n")[0] == "lo"
    assert "unreachable" in execution.stdout


def test_job_can_write_to_its_tmpfs_folders_only(pool):
    script = (
        "for d in / /etc /usr /var/tmp /home /root /dev /proc /sys; do touch $d/x && echo $d; done"
    )
    assert shell(pool, script).stdout == ""
    mounts = shell(pool, "cat /proc/self/mountinfo").stdout.splitlines()
    places = {line.split()[4]: line for line in mounts}
    assert " ro," in places["/"]
    for folder in ("/work", "/tmp"):  # noqa: S108 - the container's
        assert {"nosuid", "nodev", "noexec"} < set(places[folder].split()[5].split(","))
    on_disk = [line for line in mounts if " - ext4 " in line or " - xfs " in line]
    assert [line.split()[4] for line in on_disk if line.split()[4] not in ENGINE_FILES] == []


ENGINE_FILES = {"/etc/resolv.conf", "/etc/hostname", "/etc/hosts"}
"""The engine mounts these three from its own folder into every container."""


def test_job_sees_an_empty_environment(pool, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    names = {
        line.partition("=")[0] for line in shell(pool, "env", environment={"A": "b"}).stdout.split()
    }
    assert names == {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "SOURCE_DATE_EPOCH", "PWD", "A"}


def test_job_reads_no_input_of_the_next_one(pool):
    assert shell(pool, "cat").stdout == ""


def test_nothing_is_left_for_the_next_job(pool):
    first = shell(pool, "echo x >/work/left; echo y >/tmp/left; hostname; ls /work")
    assert "left" in first.stdout
    assert shell(pool, "ls -A /work; ls -A /tmp; hostname").stdout == "sandbox\n"
