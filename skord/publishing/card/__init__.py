"""The dataset card: what manifests say of the corpus, in words, figures and Croissant."""
