"""The pandoc program: found, run as a worker that serves many pages, and read."""
