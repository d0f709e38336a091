"""Choosing from a frontier: questions and answers, landmarks, a shortlist. Facts only; nothing is printed."""
