"""`python -m hookspan`: the command line."""

from hookspan.cli import main

main()
