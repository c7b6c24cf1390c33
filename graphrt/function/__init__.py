"""`tf.function`: trace types of arguments, the cache of traces, concrete functions and how they are called."""
