"""`python -m piecework` is the command line."""

from piecework._cli import main

if __name__ == "__main__":
    main()
