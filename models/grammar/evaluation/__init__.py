"""How well grades tell good text from bad: spoilt texts, error pairs, crawls of both."""
