"""The server on a machine that others keep busy: `unhurried_server serve`.

A save goes on unjudged after 150 ms, so that no editor waits; beside other tests a judge may need
longer. Here it may. What happens when it is too late is tested with `jittered_server`.
"""

import sys

from intent_lsp.__main__ import main
from intent_lsp.doors.lsp.features import saves

if __name__ == "__main__":
    saves.PATIENCE = 30.0  # type: ignore[misc]  # final for the product
    sys.exit(main())
