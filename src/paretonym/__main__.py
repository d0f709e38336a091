"""`python -m paretonym`: the command, where the script is not on the PATH."""

from __future__ import annotations

from paretonym.interfaces.cli.main import main

if __name__ == "__main__":
    main()
