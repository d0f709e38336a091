"""Facts, figures and pages."""
