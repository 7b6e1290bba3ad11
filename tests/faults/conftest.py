"""A real PostgreSQL server on a socket of its own, from Debian's package."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


def _programs() -> Path | None:
    """The folder of the server's programs: Debian keeps them off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    program = shutil.which("initdb")
    return None if program is None else Path(program).parent


def _as_user(user: str | None) -> dict[str, Any]:
    """Arguments with which a command runs as an unprivileged user: the server refuses root."""
    if user is None:
        return {}
    account = pwd.getpwnam(user)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


@dataclass(frozen=True)
class Server:
    """A server of PostgreSQL and how to stop it, as in a crash, and to start it again."""

    url: str
    control: list[Any]
    start_with: list[Any]
    options: dict[str, Any]

    def start(self) -> None:
        subprocess.run([*self.control, *self.start_with, "start"], **self.options)

    def stop(self) -> None:
        subprocess.run([*self.control, "-m", "immediate", "stop"], **self.options)

    def send(self, signum: int) -> None:
        """Send a signal to the server and to all processes that it has for its clients."""
        master = int((Path(self.control[2]) / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{master}/task/{master}/children").read_text().split()
        for pid in (master, *map(int, children)):
            os.kill(pid, signum)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with an empty database, reached by a socket in a temporary folder."""
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed (Debian: apt-get install postgresql)")
    user = "postgres" if os.geteuid() == 0 else None
    try:
        account = _as_user(user)
    except KeyError:
        pytest.skip("PostgreSQL does not run as root and there is no user 'postgres'")
    folder = Path(tempfile.mkdtemp(prefix="evenfold-pg-"))
    if user is not None:
        shutil.chown(folder, user)
    options: dict[str, Any] = {
        "cwd": folder,
        "check": True,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.STDOUT,
        **account,
    }
    name = user or pwd.getpwuid(os.geteuid()).pw_name
    subprocess.run(
        [programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", name, "-N"], **options
    )
    settings = f"-k {folder} -c listen_addresses='' -c fsync=off"
    server = Server(
        url=f"postgresql://{name}@/postgres?host={folder}",
        control=[programs / "pg_ctl", "-D", folder / "data", "-w"],
        start_with=["-l", folder / "log", "-o", settings],
        options=options,
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres(server: Server) -> str:
    """The URL of the database."""
    return server.url
