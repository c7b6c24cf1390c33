"""What users see: the table of public names, the loader of its namespaces, and the namespaces that hold code."""
