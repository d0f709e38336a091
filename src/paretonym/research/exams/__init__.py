"""Exams and random inputs, for our tests and for other people's extensions.

An exam is a plain function that raises `ExamFailed` with the case that went wrong. None of them is timed.
"""
