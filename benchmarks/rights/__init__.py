"""Reservations, personal data and evaluation sets: how much is found, and what it costs."""
