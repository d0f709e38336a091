"""The commands: thin leaves that read options, call the package and print."""
