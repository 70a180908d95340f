"""What a fetched record holds, as columns of the tasks that read it."""
