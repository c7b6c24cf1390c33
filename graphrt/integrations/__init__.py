"""Functions in the hands of other libraries: each file is about one of them, and imports it when it is used."""
