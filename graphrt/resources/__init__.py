"""What lives behind a handle other than variables: lookup tables, queues, mutexes."""
