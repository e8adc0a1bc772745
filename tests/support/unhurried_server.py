"""The server without its time limit for saves: `python -m tests.support.unhurried_server serve`.

The product lets a save go on unjudged after 150 ms, so that no editor waits. On a machine that runs
other tests, judging may take longer; here it may. What happens when it is too late is tested with
`jittered_server`.
"""

import sys

from intent_lsp.__main__ import main
from intent_lsp.doors.lsp.features import saves

if __name__ == "__main__":
    saves.PATIENCE = 30.0  # type: ignore[misc]  # final for the product
    sys.exit(main())
