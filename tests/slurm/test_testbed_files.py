"""The files of a throw-away cluster as text, of `skord.slurm.testbed.configuration`."""

from skord.slurm.testbed.configuration import (
    Place,
    Settings,
    configuration_files,
    daemon_folders,
    parse_version,
    slurm_conf,
)

PLACE = Place("/tmp/bed", "host", "someone", (6817, 6818, 6819, 6820), (24, 11, 5))


def lines(settings):
    return slurm_conf(settings, PLACE).splitlines()


def test_every_node_has_a_port_of_its_own_and_all_are_in_the_partition():
    text = lines(Settings(nodes=2, cpus=3, mem_mb=900))

    nodes = [line for line in text if line.startswith("NodeName=")]
    assert [line.split(" Port=")[1].split()[0] for line in nodes] == ["6818", "6819"]
    assert all("CPUs=3 " in line and "RealMemory=900 " in line for line in nodes)
    assert "SlurmctldPort=6817" in text
    assert text[-1].startswith("PartitionName=main Nodes=n1,n2 Default=YES")
    assert not any("gpu" in line for line in text)


def test_gpus_are_devices_that_do_nothing():
    settings = Settings(nodes=1, gpus=2)

    made = configuration_files(settings, PLACE)

    assert made["etc/gres.conf"] == (
        "Name=gpu File=/tmp/bed/dev/nvidia0\nName=gpu File=/tmp/bed/dev/nvidia1\n"
    )
    assert "GresTypes=gpu" in made["etc/slurm.conf"]
    assert "Gres=gpu:2 State" in made["etc/slurm.conf"]
    assert "etc/slurmdbd.conf" not in made


def test_accounts_are_kept_at_the_last_port():
    made = configuration_files(Settings(nodes=2, accounting=True), PLACE)

    assert "AccountingStoragePort=6820" in made["etc/slurm.conf"]
    assert "DbdPort=6820" in made["etc/slurmdbd.conf"]
    assert "accounting_storage/none" in slurm_conf(Settings(), PLACE)


def test_later_lines_override_and_numbers_are_those_of_the_settings():
    text = lines(Settings(nodes=1, extra="KillWait=9", kill_wait_s=3, max_array_size=5))
    assert text.index("KillWait=3") < text.index("KillWait=9")
    assert "MaxArraySize=5" in text
    assert (Settings().nodes, Settings().cpus, Settings().mem_mb) == (4, 4, 2000)


def test_folders_and_versions():
    assert daemon_folders(Settings(nodes=1))[-1] == "spool/n1"
    assert parse_version("slurm-wlm 24.11.5-2") == (24, 11, 5)
