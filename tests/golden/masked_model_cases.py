"""Models in which masks come from one layer and are taken by another: `CASES`, name -> function of tf that builds one.

Keras counts the operations that make a taken mask among those of a model, and its checkpoints number layers so.
"""

CASES = {}


def tokens(tf, steps=5):
    return tf.keras.Input((steps,), dtype="int32")


def embedded(tf, entry, size=4):
    return tf.keras.layers.Embedding(7, size, mask_zero=True)(entry)


def chain(name, *make, entry=tokens, first=embedded):
    """A model of one layer after the other, the last of which is Dense."""

    def build(tf):
        x = begin = entry(tf)
        for layer in (lambda k: lambda x: first(tf, x), *make, lambda k: k.Dense(2)):
            x = layer(tf.keras.layers)(x)
        return tf.keras.Model(begin, x)

    CASES[name] = build


def merged(name, make, entries=2, masked=2, sizes=(4, 4, 4)):
    """A model of several sequences, of which some have masks, that are made one and given to a GRU."""

    def build(tf):
        inputs = [tokens(tf) if i < masked else tf.keras.Input((5, sizes[i])) for i in range(entries)]
        parts = [embedded(tf, t, sizes[i]) if i < masked else t for i, t in enumerate(inputs)]
        return tf.keras.Model(inputs, tf.keras.layers.GRU(3)(make(tf.keras.layers)(parts)))

    CASES[name] = build


def features(tf):
    return tf.keras.Input((5, 3))


def untouched(tf, x):
    return x


chain("lstm", lambda k: k.LSTM(3))
chain("through_dropout_and_norm", lambda k: k.Dropout(0.1), lambda k: k.LayerNormalization(), lambda k: k.GRU(3))
chain("through_dense", lambda k: k.Dense(3, "relu"), lambda k: k.GRU(3))
chain("lost_in_convolution", lambda k: k.Conv1D(3, 2, padding="same"), lambda k: k.GRU(3))
chain("lost_in_reshape", lambda k: k.Reshape((1, 20)), lambda k: k.GRU(3))
chain("not_taken", lambda k: k.Dropout(0.1))
chain("activations", lambda k: k.Activation("tanh"), lambda k: k.ReLU(), lambda k: k.BatchNormalization(),
      lambda k: k.SimpleRNN(3))  # fmt: skip
chain("pooled", lambda k: k.GlobalAveragePooling1D())
chain("attention", lambda k: lambda x: k.Attention()([x, x]), lambda k: k.GlobalAveragePooling1D())
chain("heads", lambda k: lambda x: k.Add()([x, k.MultiHeadAttention(2, 3)(x, x)]), lambda k: k.LayerNormalization(),
      lambda k: k.GlobalAveragePooling1D())  # fmt: skip
chain("stacked", lambda k: k.LSTM(3, return_sequences=True), lambda k: k.Bidirectional(k.LSTM(2)))
chain("masking", lambda k: k.Masking(), lambda k: k.GRU(4, return_sequences=True),
      lambda k: k.TimeDistributed(k.Dense(3)), lambda k: k.Bidirectional(k.LSTM(2)), entry=features, first=untouched)  # fmt: skip
chain("masking_twice", lambda k: k.Masking(-1.0), lambda k: k.Dense(3), lambda k: k.Masking(), lambda k: k.GRU(2),
      entry=features, first=untouched)  # fmt: skip
merged("add", lambda k: k.Add())
merged("multiply_three", lambda k: k.Multiply(), entries=3, masked=3)
merged("add_with_one_unmasked", lambda k: k.Add(), masked=1)
merged("concatenate", lambda k: k.Concatenate(), sizes=(4, 3))
merged("concatenate_steps", lambda k: k.Concatenate(axis=1))
merged("concatenate_with_one_unmasked", lambda k: k.Concatenate(), masked=1, sizes=(4, 3))
merged("dot", lambda k: k.Dot(axes=(2, 2)))


def case(build):
    CASES[build.__name__] = build
    return build


@case
def sequential(tf):
    k = tf.keras.layers
    return tf.keras.Sequential([tokens(tf), k.Embedding(7, 4, mask_zero=True), k.LSTM(3), k.Dense(2)])


@case
def sequence_to_sequence(tf):
    k = tf.keras.layers
    first, second = tokens(tf), tokens(tf)
    _, *states = k.LSTM(3, return_state=True)(embedded(tf, first))
    decoded = k.LSTM(3, return_sequences=True)(embedded(tf, second), initial_state=states)
    return tf.keras.Model([first, second], k.Dense(7)(decoded))


@case
def shared_layers(tf):
    k = tf.keras.layers
    inputs = [tokens(tf), tokens(tf)]
    table, cell = k.Embedding(7, 4, mask_zero=True), k.GRU(3)
    return tf.keras.Model(inputs, k.Dense(1)(k.Concatenate()([cell(table(t)) for t in inputs])))


@case
def inner_model(tf):
    k = tf.keras.layers
    entry = tf.keras.Input((5, 4))
    inner = tf.keras.Model(entry, k.LSTM(3)(entry))
    outer = tokens(tf)
    return tf.keras.Model(outer, k.Dense(2)(inner(embedded(tf, outer))))


@case
def inner_sequential(tf):
    k = tf.keras.layers
    inner = tf.keras.Sequential([tf.keras.Input((5, 4)), k.Dropout(0.1), k.LSTM(3)])
    outer = tokens(tf)
    return tf.keras.Model(outer, k.Dense(2)(inner(embedded(tf, outer))))


@case
def given_by_hand(tf):
    k = tf.keras.layers
    x, mask = features(tf), tf.keras.Input((5,), dtype="bool")
    return tf.keras.Model([x, mask], k.Dense(2)(k.LSTM(3)(x, mask=mask)))


def inputs_of(model, chance):
    """What to give the model: some steps are masked."""
    found = []
    for tensor in model.inputs:
        shape = [2, *tensor.shape[1:]]
        value = chance.integers(1, 7, shape) if tensor.dtype == "int32" else chance.standard_normal(shape)
        if tensor.dtype == "bool":
            value = value > -0.5
            value[:, 0] = True
        else:
            value[0, -2:] = 0
        found.append(value.astype(tensor.dtype))
    return found if len(found) > 1 else found[0]


def filled(model, chance):
    """The model with weights that are not those it began with."""
    for variable in model.weights:
        value = chance.standard_normal(tuple(variable.shape)) * 0.4
        variable.assign(abs(value) if "variance" in variable.name else value)
    return model
