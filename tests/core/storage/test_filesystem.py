import os
import subprocess
import sys

import pytest

from skord.core.failures import ConfigError
from skord.core.storage.filesystem import PARTIAL, Storage


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    storage = Storage(str(tmp_path))

    with pytest.raises(RuntimeError), storage.writing("a/b.txt") as partial:
        partial.write_text("half")
        raise RuntimeError

    assert storage.size("a/b.txt") is None
    assert storage.names(PARTIAL) == []


def test_a_file_is_replaced_in_one_step(tmp_path):
    storage = Storage(str(tmp_path))
    storage.write("a/b.txt", b"old")

    with storage.writing("a/b.txt") as partial:
        partial.write_bytes(b"newer")
        assert storage.read("a/b.txt") == b"old"

    assert storage.read("a/b.txt") == b"newer"
    assert storage.names("a") == ["b.txt"]


def test_what_a_killed_process_left_is_swept_and_what_a_living_one_writes_is_not(tmp_path):
    storage = Storage(str(tmp_path))
    code = (
        "import sys, time\nfrom skord.core.storage.filesystem import Storage\n"
        "with Storage(sys.argv[1]).writing('x') as p:\n    print(p, flush=True)\n    time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    child.stdout.readline()
    with storage.writing("mine"):
        assert storage.sweep() == 0
        child.kill()
        child.wait()
        child.stdout.close()

        assert storage.sweep() == 1
        assert len(storage.names(PARTIAL)) == 1


def test_too_little_free_space_is_said_before_work_starts(tmp_path):
    with pytest.raises(ConfigError, match="free some space or set data_dir"):
        Storage(str(tmp_path)).check(min_free_gb=10**9)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_said(tmp_path):
    tmp_path.chmod(0o500)

    with pytest.raises(ConfigError, match="may write to"):
        Storage(str(tmp_path / "data")).check(min_free_gb=0)


def test_a_data_dir_that_is_a_file_is_said(tmp_path):
    (tmp_path / "data").write_text("not a folder")

    with pytest.raises(ConfigError, match="may write to"):
        Storage(str(tmp_path / "data")).check(min_free_gb=0)


def test_an_unknown_kind_of_storage_is_said():
    with pytest.raises(ConfigError, match="give a folder or s3://"):
        Storage("ftp://somewhere/else").check(min_free_gb=0)


def test_a_folder_is_told_as_an_object_store_is(tmp_path):
    """The same files, looked at without pyarrow and with it."""
    local, other = Storage(str(tmp_path)), Storage(f"file://{tmp_path}")
    local.write("a/b/c.txt", b"four")
    local.write("a/d.txt", b"")
    local.write("e.txt", b"1")
    (tmp_path / "a/link.txt").symlink_to(tmp_path / "e.txt")
    (tmp_path / "a/gone.txt").symlink_to(tmp_path / "nothing")

    assert local.tree("a") == {"b/c.txt": 4, "d.txt": 0, "link.txt": 1}
    for folder in ("a", "a/b", "", "nowhere"):
        assert local.tree(folder) == other.tree(folder)
        assert local.tree_bytes(folder) == other.tree_bytes(folder)
        assert local.sizes(folder) == other.sizes(folder)
    for path in ("a", "a/d.txt", "a/link.txt", "a/gone.txt", "a/d.txt/x", "nowhere/x"):
        assert (local.size(path), local.exists(path)) == (other.size(path), other.exists(path))
    assert local.read("a/link.txt") == other.read("a/link.txt")


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_what_is_moved_or_deleted_is_gone(tmp_path, form):
    storage = Storage(form.format(tmp_path))
    Storage(str(tmp_path)).write("a/b.txt", b"x")
    storage.move("a/b.txt", "a/c.txt")
    assert storage.names("a") == ["c.txt"]
    for _ in range(2):
        storage.delete("a/c.txt")
        assert storage.names("a") == []
    for _ in range(2):
        storage.delete_folder("a")
        assert not (tmp_path / "a").exists()


def test_a_disk_without_inodes_is_not_taken_for_a_lack_of_permission(tmp_path):
    mount = ["mount", "-t", "tmpfs", "-o", "nr_inodes=5", "skord-test", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        for number in range(4):
            (tmp_path / str(number)).touch()
        with pytest.raises(ConfigError, match=r"no room for one more file: .* df -i shows"):
            Storage(str(tmp_path)).check(0)
    finally:
        subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)
