"""One file for each command; each holds a click command named `command`."""
