"""What mkdocs runs: pages out of the code, pages that lie elsewhere, and links between them.

`reference`: tables of tasks, settings, failure codes, measures and commands. `tables`: Markdown of
rows and docstrings. `columns`: what columns hold whose docstring is silent. `hook`: what
mkdocs.yml names; it adds those pages and turns links to files of the repository into links to
pages.
"""
