"""Interfaces: the commands and the page. They phrase, and decide nothing."""
