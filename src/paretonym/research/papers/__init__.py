"""The papers: their methods, and their tables and figures reproduced, measured beside printed."""
