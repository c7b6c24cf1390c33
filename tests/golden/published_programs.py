"""More programs of one screen, written from papers as users of TensorFlow write: with models, modules, datasets, text.

They stand in the same table as those of `paper_programs.py`, and keep to the same rule: numbers depend on seeds alone.
"""

from __future__ import annotations

import math

from tests.golden.paper_programs import program


def _filled(model, np, seed, scale=0.4):
    """Gives the weights of a layer or model values that do not depend on the library."""
    rng = np.random.default_rng(seed)
    model.set_weights([rng.normal(size=w.shape, scale=scale).astype("float32") for w in model.get_weights()])
    return model


@program
def neural_ordinary_differential_equation(tf, np):
    """Chen, Rubanova, Bettencourt, Duvenaud 2018: gradients by the adjoint equation, solved backwards."""
    layers = [tf.keras.layers.Dense(8, "tanh"), tf.keras.layers.Dense(2)]
    field = _filled(tf.keras.Sequential([tf.keras.Input((2,)), *layers]), np, 1)

    def rk4(derivative, state, step):
        k1 = derivative(state)
        k2 = derivative([s + step / 2 * k for s, k in zip(state, k1)])
        k3 = derivative([s + step / 2 * k for s, k in zip(state, k2)])
        k4 = derivative([s + step * k for s, k in zip(state, k3)])
        return [s + step / 6 * (a + 2 * b + 2 * c + d) for s, a, b, c, d in zip(state, k1, k2, k3, k4)]

    @tf.custom_gradient
    def solved(start):
        y = start
        for _ in range(8):
            (y,) = rk4(lambda s: [field(s[0])], [y], 0.125)

        def backward(upstream, variables=None):
            def augmented(state):
                with tf.GradientTape() as tape:
                    tape.watch(state[0])
                    out = field(state[0])
                found = tape.gradient(out, [state[0], *variables], output_gradients=state[1])
                return [out, *[-g for g in found]]

            state = [y, upstream, *[tf.zeros_like(v) for v in variables]]
            for _ in range(8):
                state = rk4(augmented, state, -0.125)
            return state[1], state[2:]

        return y, backward

    points = tf.constant(np.random.default_rng(2).normal(size=(6, 2)), tf.float32)
    target = tf.stack([-points[:, 1], points[:, 0]], 1)
    optimizer = tf.keras.optimizers.Adam(0.05)

    @tf.function
    def train():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.math.squared_difference(solved(points), target))
        optimizer.apply_gradients(
            zip(tape.gradient(loss, field.trainable_variables), field.trainable_variables)
        )
        return loss

    return [train() for _ in range(8)]


@program
def proximal_policy_optimization(tf, np):
    """Schulman, Wolski, Dhariwal, Radford, Klimov 2017: a mass on a rail is held in the middle."""

    class Policy(tf.Module):
        def __init__(self, name=None):
            super().__init__(name)
            rng = np.random.default_rng(3)
            self.hidden = tf.Variable(rng.normal(size=(2, 8), scale=0.5), dtype=tf.float32, name="hidden")
            self.mean = tf.Variable(rng.normal(size=(8, 1), scale=0.5), dtype=tf.float32, name="mean")
            self.value = tf.Variable(rng.normal(size=(8, 1), scale=0.5), dtype=tf.float32, name="value")
            self.spread = tf.Variable([-0.5], name="spread")

        @tf.Module.with_name_scope
        def __call__(self, seen):
            inner = tf.nn.elu(seen @ self.hidden)
            return (inner @ self.mean)[:, 0], (inner @ self.value)[:, 0]

        def log_probability(self, mean, action):
            z = (action - mean) / tf.exp(self.spread)
            return -0.5 * z**2 - self.spread - 0.5 * math.log(2 * math.pi)

    policy = Policy()
    optimizer = tf.keras.optimizers.Adam(0.02, clipnorm=0.5)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def rollout(seed):
        count = 24
        seen = tf.TensorArray(tf.float32, count, element_shape=[4, 2])
        done, gains = tf.TensorArray(tf.float32, count), tf.TensorArray(tf.float32, count)
        state = tf.random.stateless_uniform([4, 2], [seed, 0], -1.0, 1.0)
        for t in tf.range(count):
            mean, _ = policy(state)
            action = mean + tf.exp(policy.spread) * tf.random.stateless_normal([4], tf.stack([seed, t + 1]))
            seen, done = seen.write(t, state), done.write(t, action)
            speed = state[:, 1] + 0.1 * tf.clip_by_value(action, -2.0, 2.0)
            state = tf.stack([state[:, 0] + 0.1 * speed, speed], axis=1)
            gains = gains.write(t, -tf.reduce_sum(state**2, axis=1))
        return seen.stack(), done.stack(), gains.stack()

    def advantages(gains, values):
        later = tf.concat([values[1:], tf.zeros_like(values[:1])], 0)
        errors = gains + 0.95 * later - values
        return tf.scan(lambda a, e: e + 0.95 * 0.9 * a, errors, tf.zeros_like(errors[0]), reverse=True)

    @tf.function
    def improve(seen, done, old, advantage, target):
        with tf.GradientTape() as tape:
            mean, value = policy(seen)
            ratio = tf.exp(policy.log_probability(mean, done) - old)
            surrogate = tf.minimum(ratio * advantage, tf.clip_by_value(ratio, 0.8, 1.2) * advantage)
            loss = -tf.reduce_mean(surrogate) + 0.5 * tf.reduce_mean((value - target) ** 2)
        grads = tape.gradient(loss, policy.trainable_variables)
        optimizer.apply_gradients(zip(grads, policy.trainable_variables))
        return loss

    found = []
    for turn in range(4):
        seen, done, gains = rollout(tf.constant(turn))
        flat = tf.reshape(seen, [-1, 2])
        mean, value = policy(flat)
        values = tf.reshape(value, gains.shape)
        advantage = advantages(gains, values)
        target = tf.reshape(advantage + values, [-1])
        advantage = tf.reshape(advantage, [-1])
        advantage = (advantage - tf.reduce_mean(advantage)) / (tf.math.reduce_std(advantage) + 1e-6)
        actions = tf.reshape(done, [-1])
        old = policy.log_probability(mean, actions)
        data = tf.data.Dataset.from_tensor_slices((flat, actions, old, advantage, target)).batch(32)
        for batch in data.repeat(2):
            loss = improve(*batch)
        found += [tf.reduce_mean(gains), loss]
    return found


@program
def langevin_dynamics(tf, np):
    """Welling, Teh 2011: samples of a posterior by noisy steps on batches, from a generator with a state."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(64, 3)).astype("float32")
    y = (x @ np.array([1.0, -2.0, 0.5], "float32") + 0.1 * rng.normal(size=64) > 0).astype("float32")
    generator = tf.random.Generator.from_seed(11, alg="philox")
    weights = tf.Variable(tf.zeros([3]))
    batches = iter(tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16))

    @tf.function
    def sample(rate):
        inputs, labels = next(batches)
        with tf.GradientTape() as tape:
            logits = tf.linalg.matvec(inputs, weights)
            fit = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)) * 4.0
            energy = fit + 0.5 * tf.reduce_sum(tf.square(weights))
        slope = tape.gradient(energy, weights)
        weights.assign_sub(rate / 2 * slope - tf.sqrt(rate) * generator.normal([3]))
        return weights.read_value()

    found = tf.stack([sample(tf.constant(0.02 / (1 + i) ** 0.55)) for i in range(30)])
    return tf.reduce_mean(found[10:], 0), tf.math.reduce_std(found[10:], 0), generator.state


@program
def gibbs_sampling_of_spins(tf, np):
    """Geman, Geman 1984; Ising 1925: spins on a torus, a colour of the checkerboard at a time."""
    row, column = tf.meshgrid(tf.range(12), tf.range(12), indexing="ij")
    colours = [tf.equal((row + column) % 2, c) for c in (0, 1)]

    @tf.function
    def sweep(spins, seed):
        for c, mask in enumerate(colours):
            around = tf.add_n([tf.roll(spins, s, a) for s in (1, -1) for a in (0, 1)])
            up = tf.sigmoid(2.0 * 0.45 * around)
            draw = tf.random.stateless_uniform(tf.shape(spins), tf.stack([seed, c]))
            spins = tf.where(mask, tf.where(draw < up, 1.0, -1.0), spins)
        return spins

    spins = tf.ones([12, 12])
    found = []
    for i in tf.range(20):
        spins = sweep(spins, i)
        if i % 5 == 4:
            found.append(tf.reduce_mean(spins))
            found.append(-tf.reduce_mean(spins * (tf.roll(spins, 1, 0) + tf.roll(spins, 1, 1))))
    return found


@program
def particle_filter(tf, np):
    """Gordon, Salmond, Smith 1993, with systematic resampling: the growth model."""
    seen = tf.constant(np.random.default_rng(5).normal(size=15) * 3 + 2, tf.float64)
    noise = tf.random.Generator.from_seed(3)

    @tf.function
    def run(seen):
        particles = noise.normal([200], dtype=tf.float64)
        means = tf.TensorArray(tf.float64, size=0, dynamic_size=True, clear_after_read=False)
        evidence = tf.zeros([], tf.float64)
        for t in tf.range(tf.size(seen)):
            time = tf.cast(t, tf.float64)
            particles = particles / 2 + 25 * particles / (1 + particles**2) + 8 * tf.cos(1.2 * time)
            particles += noise.normal([200], stddev=tf.sqrt(tf.constant(10.0, tf.float64)), dtype=tf.float64)
            logs = -0.5 * (seen[t] - particles**2 / 20) ** 2
            evidence += tf.reduce_logsumexp(logs) - tf.math.log(tf.constant(200.0, tf.float64))
            weights = tf.nn.softmax(logs)
            means = means.write(t, tf.tensordot(weights, particles, 1))
            places = (tf.range(200, dtype=tf.float64) + noise.uniform([], dtype=tf.float64)) / 200
            chosen = tf.searchsorted(tf.cumsum(weights), places, side="left")
            particles = tf.gather(particles, tf.minimum(chosen, 199))
        return means.stack(), evidence

    return run(seen)


@program
def translation_with_attention(tf, np):
    """Bahdanau, Cho, Bengio 2015: numbers are spelt backwards."""

    class Attention(tf.keras.layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.query, self.key = tf.keras.layers.Dense(units), tf.keras.layers.Dense(units)

        def build(self, input_shape):
            self.v = self.add_weight(name="v", shape=(self.query.units, 1), initializer="ones")

        def call(self, query, values, mask=None):
            scores = tf.tanh(self.query(query)[:, None, :] + self.key(values)) @ self.v
            if mask is not None:
                scores += (1.0 - tf.cast(mask, scores.dtype)[..., tf.newaxis]) * -1e9
            weights = tf.nn.softmax(scores, axis=1)
            return tf.reduce_sum(weights * values, axis=1), weights

    class Translator(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.embedding = tf.keras.layers.Embedding(12, 8, mask_zero=True)
            self.encoder = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(6, return_sequences=True))
            self.cell, self.attention = tf.keras.layers.GRUCell(12), Attention(10)
            self.out = tf.keras.layers.Dense(12)

        def call(self, inputs):
            source, target = inputs
            mask = self.embedding.compute_mask(source)
            memory = self.encoder(self.embedding(source), mask=mask)
            state = tf.zeros([tf.shape(source)[0], 12])
            logits = []
            for t in range(target.shape[1]):
                context, _ = self.attention(state, memory, mask)
                state, _ = self.cell(tf.concat([context, self.embedding(target[:, t])], -1), [state])
                logits.append(self.out(state))
            return tf.stack(logits, axis=1)

    rows = [[3, 4, 5], [6, 7], [8, 9, 10], [5, 3], [4, 10, 6], [9, 8]]
    source = tf.ragged.constant(rows).to_tensor(0)
    target = tf.ragged.constant([[*r[::-1], 2] for r in rows]).to_tensor(0)
    begun = tf.pad(target[:, :-1], [[0, 0], [1, 0]], constant_values=1)
    model = Translator()
    model((source, begun))
    _filled(model, np, 6)
    optimizer = tf.keras.optimizers.Nadam(0.02)
    cost = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            wanted = tf.cast(target != 0, tf.float32)
            loss = tf.reduce_sum(cost(target, model((source, begun))) * wanted) / tf.reduce_sum(wanted)
        grads = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(grads, model.trainable_weights))
        return loss

    losses = [step() for _ in range(6)]
    return [*losses, tf.argmax(model((source, begun)), -1)]


@program
def wasserstein_critic_with_penalty(tf, np):
    """Gulrajani, Ahmed, Arjovsky, Dumoulin, Courville 2017, as a model with a `train_step` of its own."""

    class Game(tf.keras.Model):
        def __init__(self, maker, critic):
            super().__init__()
            self.maker, self.critic = maker, critic
            self.count = tf.Variable(0, dtype=tf.int32, trainable=False)
            self.gap = tf.keras.metrics.Mean(name="gap")

        def compile(self, maker_optimizer, critic_optimizer):
            super().compile()
            self.maker_optimizer, self.critic_optimizer = maker_optimizer, critic_optimizer

        @property
        def metrics(self):
            return [self.gap]

        def train_step(self, real):
            self.count.assign_add(1)
            size = tf.shape(real)[0]
            noise = tf.random.stateless_normal([size, 2], [self.count, 0])
            with tf.GradientTape() as tape:
                fake = self.maker(noise, training=True)
                share = tf.random.stateless_uniform([size, 1], [self.count, 1])
                between = real * share + fake * (1 - share)
                with tf.GradientTape() as inner:
                    inner.watch(between)
                    judged = self.critic(between, training=True)
                slope = tf.sqrt(tf.reduce_sum(tf.square(inner.gradient(judged, between)), axis=1) + 1e-12)
                gap = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real))
                cost = gap + 10.0 * tf.reduce_mean((slope - 1.0) ** 2)
            weights = self.critic.trainable_variables
            self.critic_optimizer.apply_gradients(zip(tape.gradient(cost, weights), weights))
            with tf.GradientTape() as tape:
                lost = -tf.reduce_mean(self.critic(self.maker(noise, training=True)))
            weights = self.maker.trainable_variables
            self.maker_optimizer.apply_gradients(zip(tape.gradient(lost, weights), weights))
            self.gap.update_state(-gap)
            return {"gap": self.gap.result(), "maker": lost}

    def network(seed, outputs):
        inputs = tf.keras.Input((2,))
        hidden = tf.keras.layers.LeakyReLU(negative_slope=0.2)(tf.keras.layers.Dense(8)(inputs))
        return _filled(tf.keras.Model(inputs, tf.keras.layers.Dense(outputs)(hidden)), np, seed)

    game = Game(network(1, 2), network(2, 1))
    game.compile(tf.keras.optimizers.Adam(1e-2, beta_1=0.5), tf.keras.optimizers.RMSprop(1e-2))
    ring = np.linspace(0, 2 * math.pi, 32, endpoint=False)
    data = tf.data.Dataset.from_tensor_slices(np.stack([np.cos(ring), np.sin(ring)], 1).astype("float32")).batch(8)
    history = game.fit(data, epochs=3, verbose=0)
    return [history.history["gap"], history.history["maker"], game.maker(tf.zeros([1, 2]))]


@program
def vision_transformer(tf, np):
    """Dosovitskiy et al. 2021: patches of pictures, a functional model, callbacks."""

    class Patches(tf.keras.layers.Layer):
        def call(self, images):
            found = tf.image.extract_patches(images, [1, 4, 4, 1], [1, 4, 4, 1], [1, 1, 1, 1], "VALID")
            return tf.reshape(found, [tf.shape(images)[0], 4, 16 * images.shape[-1]])

    class Places(tf.keras.layers.Layer):
        def build(self, shape):
            self.table = self.add_weight(name="table", shape=shape[1:], initializer="zeros")

        def call(self, inputs):
            return inputs + self.table

    inputs = tf.keras.Input((8, 8, 2))
    x = Places()(tf.keras.layers.Dense(8)(Patches()(inputs)))
    for _ in range(2):
        normal = tf.keras.layers.LayerNormalization(epsilon=1e-6)(x)
        x = tf.keras.layers.Add()([x, tf.keras.layers.MultiHeadAttention(2, 4)(normal, normal)])
        normal = tf.keras.layers.LayerNormalization(epsilon=1e-6)(x)
        inner = tf.keras.layers.Dense(16, activation=tf.nn.gelu)(normal)
        x = x + tf.keras.layers.Dense(8)(inner)
    pooled = tf.keras.layers.GlobalAveragePooling1D()(x)
    model = _filled(tf.keras.Model(inputs, tf.keras.layers.Dense(3, "softmax")(pooled)), np, 7, 0.2)
    rng = np.random.default_rng(8)
    images, labels = rng.normal(size=(12, 8, 8, 2)).astype("float32"), rng.integers(0, 3, 12)
    schedule = tf.keras.optimizers.schedules.CosineDecay(0.01, 12, alpha=0.1)
    model.compile(
        tf.keras.optimizers.AdamW(schedule, weight_decay=1e-3),
        tf.keras.losses.SparseCategoricalCrossentropy(),
        metrics=["accuracy", tf.keras.metrics.SparseTopKCategoricalAccuracy(2, name="top")],
    )
    rates = []
    seen = tf.keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: rates.append(float(schedule(model.optimizer.iterations)))
    )
    history = model.fit(images, labels, batch_size=4, epochs=4, shuffle=False, verbose=0, callbacks=[seen])
    return [history.history[k] for k in ("loss", "accuracy", "top")], rates, model.predict(images[:2], verbose=0)


@program
def graph_convolution(tf, np):
    """Kipf, Welling 2017: two groups of nodes, of which two are known."""
    edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5), (5, 6), (4, 6)]
    both = sorted({*edges, *[(b, a) for a, b in edges], *[(i, i) for i in range(7)]})
    graph = tf.sparse.reorder(tf.SparseTensor(both, tf.ones([len(both)]), [7, 7]))
    degree = tf.sparse.reduce_sum(graph, axis=1)
    scale = tf.math.rsqrt(degree)
    graph = graph.with_values(graph.values * tf.gather(scale, graph.indices[:, 0]) * tf.gather(scale, graph.indices[:, 1]))

    class Convolution(tf.keras.layers.Layer):
        def __init__(self, units, activation=None):
            super().__init__()
            self.units, self.activation = units, tf.keras.activations.get(activation)

        def build(self, shape):
            self.kernel = self.add_weight(shape=(shape[-1], self.units), name="kernel", regularizer="l2")

        def call(self, inputs):
            return self.activation(tf.sparse.sparse_dense_matmul(graph, tf.matmul(inputs, self.kernel)))

    model = tf.keras.Sequential([Convolution(4, "relu"), Convolution(2)])
    model(tf.eye(7))
    _filled(model, np, 9)
    known, labels = tf.constant([0, 6]), tf.constant([0, 1])
    optimizer = tf.keras.optimizers.Adagrad(0.1)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            logits = tf.gather(model(tf.eye(7)), known)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)) + sum(model.losses)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    return [step() for _ in range(6)], tf.argmax(model(tf.eye(7)), axis=1)


@program
def denoising_diffusion(tf, np):
    """Ho, Jain, Abbeel 2020: noise is learnt away from points on a line, step by step."""
    steps = 10
    betas = tf.linspace(1e-3, 0.3, steps)
    alphas = 1.0 - betas
    kept = tf.math.cumprod(alphas)
    inputs = [tf.keras.Input((1,)), tf.keras.Input((), dtype="int32")]
    time = tf.keras.layers.Embedding(steps, 4)(inputs[1])
    hidden = tf.keras.layers.Dense(16, "swish")(tf.keras.layers.Concatenate()([inputs[0], time]))
    model = _filled(tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden)), np, 10)
    average = [tf.Variable(w, trainable=False) for w in model.get_weights()]
    optimizer = tf.keras.optimizers.Adam(0.02)
    data = tf.constant(np.random.default_rng(11).choice([-1.0, 2.0], (32, 1)), tf.float32)

    @tf.function
    def train(seed):
        t = tf.random.stateless_uniform([32], [seed, 0], 0, steps, tf.int32)
        noise = tf.random.stateless_normal([32, 1], [seed, 1])
        share = tf.gather(kept, t)[:, None]
        with tf.GradientTape() as tape:
            guess = model([tf.sqrt(share) * data + tf.sqrt(1 - share) * noise, t])
            loss = tf.keras.losses.Huber()(noise, guess)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        for mean, weight in zip(average, model.trainable_variables):
            mean.assign(0.9 * mean + 0.1 * weight)
        return loss

    losses = [train(tf.constant(i)) for i in range(12)]
    model.set_weights([a.numpy() for a in average])

    @tf.function
    def sample(x):
        for t in tf.range(steps - 1, -1, -1):
            guess = model([x, tf.fill([tf.shape(x)[0]], t)])
            x = (x - betas[t] / tf.sqrt(1 - kept[t]) * guess) / tf.sqrt(alphas[t])
            if t > 0:
                x += tf.sqrt(betas[t]) * tf.random.stateless_normal(tf.shape(x), [t, 2])
        return x

    return losses[::3], sample(tf.random.stateless_normal([5, 1], [0, 9]))


@program
def mixture_density_network(tf, np):
    """Bishop 1994: several answers to one question, with a loss of the user's in `compile`."""
    rng = np.random.default_rng(12)
    y = rng.uniform(-1, 1, (64, 1)).astype("float32")
    x = (y + 0.3 * np.sin(2 * math.pi * y) + 0.05 * rng.normal(size=y.shape)).astype("float32")

    @tf.keras.utils.register_keras_serializable(package="papers")
    def likelihood(truth, parts):
        logits, means, spreads = tf.split(parts, 3, axis=-1)
        z = (truth - means) * tf.exp(-spreads)
        return -tf.reduce_logsumexp(tf.nn.log_softmax(logits) - 0.5 * z**2 - spreads, axis=-1)

    model = tf.keras.Sequential(name="mixture")
    model.add(tf.keras.Input(shape=(1,)))
    model.add(tf.keras.layers.Dense(10, activation="tanh"))
    model.add(tf.keras.layers.Dense(9))
    _filled(model, np, 13)
    model.compile(optimizer="adamax", loss=likelihood)
    history = model.fit(x, y, batch_size=16, epochs=4, shuffle=False, validation_split=0.25, verbose=0)
    again = tf.keras.models.clone_model(model)
    again.set_weights(model.get_weights())
    return history.history["loss"], history.history["val_loss"], again(x[:2]), model.evaluate(x, y, verbose=0)


@program
def expectation_maximization(tf, np):
    """Dempster, Laird, Rubin 1977: three bells with covariances."""
    rng = np.random.default_rng(14)
    points = tf.constant(rng.normal(size=(90, 2)) + np.repeat([[0, 0], [5, 1], [1, 6]], 30, 0))

    def logs(mean, root):
        z = tf.linalg.triangular_solve(root, tf.transpose(points - mean))
        return -0.5 * tf.reduce_sum(z**2, 0) - tf.reduce_sum(tf.math.log(tf.linalg.diag_part(root)))

    @tf.function
    def round_of(shares, means, covariances):
        roots = tf.linalg.cholesky(covariances)
        each = tf.vectorized_map(lambda m: logs(*m), (means, roots)) + tf.math.log(shares)[:, None]
        total = tf.reduce_logsumexp(each, 0)
        owned = tf.exp(each - total)
        weight = tf.reduce_sum(owned, 1)
        means = tf.einsum("kn,nd->kd", owned, points) / weight[:, None]
        apart = points[None] - means[:, None]
        covariances = tf.einsum("kn,knd,kne->kde", owned, apart, apart) / weight[:, None, None]
        return weight / tf.reduce_sum(weight), means, covariances + 1e-6 * tf.eye(2, dtype=tf.float64), tf.reduce_mean(total)

    state = tf.fill([3], tf.constant(1 / 3, tf.float64)), points[::30] + 0.5, tf.eye(2, batch_shape=[3], dtype=tf.float64)
    found = []
    for _ in range(8):
        *state, mean = round_of(*state)
        found.append(mean)
    return found, state


@program
def labels_without_places(tf, np):
    """Graves, Fernandez, Gomez, Schmidhuber 2006: CTC on a recurrent network, and three decoders."""
    rng = np.random.default_rng(15)
    sounds = tf.constant(rng.normal(size=(3, 10, 4)), tf.float32)
    texts = tf.sparse.from_dense([[1, 2, 0], [3, 0, 0], [2, 2, 1]])
    lengths, sizes = tf.constant([10, 8, 9]), tf.constant([2, 1, 3])
    inputs = tf.keras.Input((None, 4))
    hidden = tf.keras.layers.LSTM(6, return_sequences=True, recurrent_activation="hard_sigmoid")(inputs)
    model = _filled(tf.keras.Model(inputs, tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(5))(hidden)), np, 16)
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True)
    found = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            logits = model(sounds)
            dense = tf.nn.ctc_loss(tf.sparse.to_dense(texts), logits, sizes, lengths, logits_time_major=False, blank_index=0)
            loss = tf.reduce_mean(dense)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights))
        found.append(loss)
    major = tf.transpose(model(sounds), [1, 0, 2])
    (greedy,), scores = tf.nn.ctc_greedy_decoder(major, lengths, blank_index=0)
    (best, other), likely = tf.nn.ctc_beam_search_decoder(major, lengths, beam_width=4, top_paths=2)
    away = tf.edit_distance(greedy, tf.cast(texts, tf.int64), normalize=False)
    return found, greedy.values, scores, best.indices, best.values, other.values, likely, away


@program
def words_that_follow(tf, np):
    """Shannon 1948: a text is written by counts of pairs of words; strings, tables and ragged tensors."""
    text = tf.constant([
        "The cat sat on the mat.", "The dog sat on the cat!", "A cat and a dog: on the mat, the cat.", "", "Dog sat.",
    ])  # fmt: skip
    plain = tf.strings.regex_replace(tf.strings.lower(text), r"[^a-z ]", "")
    words = tf.strings.split(plain)
    pairs = tf.strings.ngrams(words, 2, separator=" ")
    unique, _, counts = tf.unique_with_counts(pairs.flat_values)
    ends = tf.strings.split(unique, " ").to_tensor()
    known, first = tf.unique(ends[:, 0])
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(known, tf.range(tf.size(known), dtype=tf.int64)), default_value=-1
    )
    best = tf.math.unsorted_segment_max(counts, first, tf.size(known))

    @tf.function
    def write(word, count):
        found = tf.TensorArray(tf.string, count)
        for i in tf.range(count):
            found = found.write(i, word)
            place = table.lookup(word)
            if place < 0:
                word = known[0]
                continue
            fits = tf.where((first == tf.cast(place, tf.int32)) & (counts == tf.gather(best, tf.cast(place, tf.int32))))
            word = ends[tf.cast(fits[0, 0], tf.int32), 1]
        return tf.strings.reduce_join(found.stack(), separator=" ")

    told = write(tf.constant("a"), tf.constant(9))
    lengths = words.row_lengths()
    buckets = tf.strings.to_hash_bucket_fast(known, 1000)
    codes = tf.strings.unicode_decode(told, "UTF-8")
    return counts, lengths, buckets, codes, tf.strings.length(plain), tf.reduce_mean(tf.cast(lengths, tf.float32))


@program
def style_of_pictures(tf, np):
    """Gatys, Ecker, Bethge 2016: a picture with the content of one and the correlations of another."""
    rng = np.random.default_rng(17)
    content, style = (tf.constant(rng.random((1, 12, 12, 3)), tf.float32) for _ in range(2))
    base = tf.keras.Sequential([
        tf.keras.Input((12, 12, 3)),
        tf.keras.layers.Conv2D(4, 3, padding="same", activation="relu", name="one"),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Conv2D(6, 3, padding="same", activation="relu", name="two"),
    ])  # fmt: skip
    _filled(base, np, 18)
    features = tf.keras.Model(base.inputs, [base.get_layer(n).output for n in ("one", "two")])
    features.trainable = False

    def gram(x):
        shape = tf.shape(x)
        return tf.linalg.einsum("bijc,bijd->bcd", x, x) / tf.cast(shape[1] * shape[2], tf.float32)

    wanted = [gram(f) for f in features(style)]
    kept = features(content)[1]
    image = tf.Variable(content, constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0))
    optimizer = tf.keras.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)

    @tf.function()
    def step(image):
        with tf.GradientTape() as tape:
            found = features(image)
            loss = tf.add_n([tf.reduce_mean((gram(f) - w) ** 2) for f, w in zip(found, wanted)])
            loss += 1e-2 * tf.reduce_mean((found[1] - kept) ** 2) + 1e-4 * tf.reduce_sum(tf.image.total_variation(image))
        optimizer.apply_gradients([(tape.gradient(loss, image), image)])
        image.assign(image.constraint(image))
        return loss

    losses = [step(image) for _ in range(6)]
    edges = tf.image.sobel_edges(image)
    return losses, tf.reduce_mean(image, [0, 1, 2]), tf.reduce_max(edges), tf.image.psnr(content, image, 1.0)


@program
def dreams_of_a_network(tf, np):
    """Mordvintsev, Olah, Tyka 2015: what excites a layer, in octaves and tiles."""
    layer = tf.keras.layers.SeparableConv2D(4, 3, activation="relu", padding="same")
    layer.build((None, None, None, 3))
    _filled(layer, np, 19)
    image = tf.constant(np.random.default_rng(20).random((16, 20, 3)), tf.float32)

    class Dream(tf.Module):
        def __init__(self, layer):
            self.layer = layer

        @tf.function(input_signature=(
            tf.TensorSpec([None, None, 3], tf.float32), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32),
        ))  # fmt: skip
        def __call__(self, image, count, rate):
            loss = tf.constant(0.0)
            for i in tf.range(count):
                shift = tf.random.stateless_uniform([2], [i, 5], -4, 4, tf.int32)
                moved = tf.roll(image, shift, axis=[0, 1])
                with tf.GradientTape() as tape:
                    tape.watch(moved)
                    loss = tf.reduce_mean(self.layer(moved[None]))
                slope = tape.gradient(loss, moved)
                slope /= tf.math.reduce_std(slope) + 1e-8
                image = tf.clip_by_value(tf.roll(moved + slope * rate, -shift, axis=[0, 1]), -1, 1)
            return loss, image

    dream = Dream(layer)
    found = []
    for octave in range(-1, 2):
        size = tf.cast(tf.cast(tf.shape(image)[:2], tf.float32) * 1.3**octave, tf.int32)
        loss, image = dream(tf.image.resize(image, size), 3, tf.constant(0.05))
        found += [loss, tf.reduce_mean(image), tf.cast(tf.shape(image), tf.float32)]
    return found


@program
def bodies_that_attract(tf, np):
    """Verlet 1967: five bodies by leaps, with energy and angular momentum; forces by automatic differentiation."""
    rng = np.random.default_rng(21)
    masses = tf.constant(rng.uniform(0.5, 2, 5))
    q, v = tf.constant(rng.normal(size=(5, 3)) * 2), tf.constant(rng.normal(size=(5, 3)) * 0.3)

    def potential(q):
        apart = q[:, tf.newaxis] - q[tf.newaxis]
        distance = tf.sqrt(tf.reduce_sum(apart**2, -1) + 0.05)
        pairs = tf.linalg.band_part(tf.ones([5, 5], q.dtype), 0, -1) - tf.eye(5, dtype=q.dtype)
        return -tf.reduce_sum(pairs * masses[:, None] * masses[None] / distance)

    def force(q):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(q)
            u = potential(q)
        return -tape.gradient(u, q) / masses[:, None]

    @tf.function
    def leap(q, v, steps, h):
        def body(i, q, v):
            v = v + h / 2 * force(q)
            q = q + h * v
            return i + 1, q, v + h / 2 * force(q)

        _, q, v = tf.while_loop(lambda i, *_: i < steps, body, [0, q, v], parallel_iterations=1, maximum_iterations=40)
        return q, v

    q2, v2 = leap(q, v, tf.constant(50), tf.constant(0.01, tf.float64))
    energy = [potential(a) + 0.5 * tf.reduce_sum(masses[:, None] * b**2) for a, b in ((q, v), (q2, v2))]
    spin = tf.reduce_sum(masses[:, None] * tf.linalg.cross(q2, v2), 0)
    return q2, v2, energy, spin, tf.norm(tf.linalg.cross(q, v), axis=-1)


@program
def heat_in_a_rod(tf, np):
    """Crank, Nicolson 1947: the implicit scheme by a tridiagonal solver, and the conductivity found from what is seen."""
    n, h = 20, 0.05
    x = tf.linspace(tf.constant(0.0, tf.float64), 1.0, n)
    start = tf.sin(math.pi * x) + 0.5 * tf.sin(3 * math.pi * x)

    @tf.function
    def later(conductivity, steps):
        r = conductivity * 0.01 / (2 * h * h)
        ones = tf.ones([n], tf.float64)
        diagonals = tf.stack([-r * ones, (1 + 2 * r) * ones, -r * ones])
        u = start
        for _ in tf.range(steps):
            padded = tf.pad(u, [[1, 1]])
            right = r * padded[:-2] + (1 - 2 * r) * u + r * padded[2:]
            u = tf.linalg.tridiagonal_solve(diagonals, right, diagonals_format="compact")
        return u

    seen = later(tf.constant(0.3, tf.float64), 10)
    guess = tf.Variable(0.1, dtype=tf.float64)
    found = []
    for _ in range(6):
        with tf.GradientTape() as tape:
            miss = tf.nn.l2_loss(later(guess, 10) - seen)
        slope = tape.gradient(miss, guess)
        guess.assign_sub(0.05 * tf.clip_by_norm(slope, 1.0))
        found += [miss, guess.read_value()]
    return found, seen[::5]


@program
def evolution_strategies(tf, np):
    """Salimans, Ho, Chen, Sidor, Sutskever 2017: Rosenbrock's valley without gradients, and with Adam's ranks."""

    def height(x):
        return tf.reduce_sum(100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1 - x[..., :-1]) ** 2, axis=-1)

    center = tf.Variable([-0.5, 0.5, 1.5])
    optimizer = tf.keras.optimizers.Adam(
        tf.keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=5, decay_rate=0.8, staircase=True)
    )

    @tf.function(reduce_retracing=True)
    def generation(seed):
        half = tf.random.stateless_normal([8, 3], seed=tf.stack([seed, 1]))
        noise = tf.concat([half, -half], axis=0)
        heights = tf.map_fn(height, center + 0.1 * noise, fn_output_signature=tf.float32)
        ranks = tf.argsort(tf.argsort(heights, stable=True), stable=True)
        shaped = tf.cast(ranks, tf.float32) / 15.0 - 0.5
        optimizer.apply_gradients([(tf.linalg.matvec(noise, shaped, transpose_a=True) / 1.6, center)])
        return tf.reduce_min(heights), tf.math.reduce_variance(heights)

    found = [generation(i) for i in tf.range(15)]
    return found[::4], center


@program
def capsules(tf, np):
    """Sabour, Frosst, Hinton 2017: routing by agreement, with the margin loss."""
    rng = np.random.default_rng(22)
    images, labels = tf.constant(rng.random((4, 8, 8, 1)), tf.float32), tf.one_hot([0, 1, 2, 1], 3)

    def squash(s, axis=-1):
        square = tf.reduce_sum(tf.square(s), axis, keepdims=True)
        return square / (1 + square) * s * tf.math.rsqrt(square + 1e-9)

    class Routing(tf.keras.layers.Layer):
        def __init__(self, count, size, rounds=3, **kwargs):
            super().__init__(**kwargs)
            self.count, self.size, self.rounds = count, size, rounds

        def build(self, input_shape):
            self.w = self.add_weight(
                shape=(input_shape[1], self.count, self.size, input_shape[2]), initializer="glorot_uniform", name="w"
            )

        def call(self, inputs):
            votes = tf.einsum("bid,ijkd->bijk", inputs, self.w)
            agreed = tf.zeros_like(votes[..., 0])
            for i in range(self.rounds):
                out = squash(tf.reduce_sum(tf.nn.softmax(agreed, axis=2)[..., None] * votes, axis=1))
                if i < self.rounds - 1:
                    agreed += tf.einsum("bijk,bjk->bij", tf.stop_gradient(votes), out)
            return out

        def get_config(self):
            return {**super().get_config(), "count": self.count, "size": self.size, "rounds": self.rounds}

    model = tf.keras.Sequential([
        tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"), tf.keras.layers.Reshape((-1, 4)),
        tf.keras.layers.Lambda(squash), Routing(3, 5, name="routing"),
    ])  # fmt: skip
    model.build((None, 8, 8, 1))
    _filled(model, np, 23)
    optimizer = tf.keras.optimizers.Lion(1e-2)

    def margin(truth, capsules):
        length = tf.norm(capsules, axis=-1)
        wrong = 0.5 * (1 - truth) * tf.nn.relu(length - 0.1) ** 2
        return tf.reduce_mean(tf.reduce_sum(truth * tf.nn.relu(0.9 - length) ** 2 + wrong, axis=1))

    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = margin(labels, model(images, training=True))
        variables = model.trainable_variables
        optimizer.apply(tape.gradient(loss, variables), variables)
        losses.append(loss)
    copy = Routing.from_config(model.get_layer("routing").get_config())
    return losses, tf.norm(model(images), axis=-1), [copy.count, copy.size, copy.rounds]


@program
def learning_to_learn(tf, np):
    """Finn, Abbeel, Levine 2017: sines from five points, through the gradient of a gradient step."""
    rng = np.random.default_rng(24)
    shapes = [(1, 8), (8,), (8, 1), (1,)]
    weights = [tf.Variable(rng.normal(size=s, scale=0.5), dtype=tf.float32) for s in shapes]
    optimizer = tf.keras.optimizers.Adam(0.01)

    def network(w, x):
        return tf.nn.softplus(x @ w[0] + w[1]) @ w[2] + w[3]

    def task(seed):
        height, phase = tf.unstack(tf.random.stateless_uniform([2], [seed, 0], 0.5, 2.0))
        x = tf.random.stateless_uniform([10, 1], [seed, 1], -3.0, 3.0)
        return x, height * tf.sin(x + phase)

    def loss_after(seed):
        x, y = task(seed)
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean(tf.square(network(weights, x[:5]) - y[:5]))
        moved = [w - 0.05 * g for w, g in zip(weights, inner.gradient(loss, weights))]
        return tf.reduce_mean(tf.square(network(moved, x[5:]) - y[5:]))

    @tf.function
    def meta(seeds):
        with tf.GradientTape(persistent=True) as tape:
            losses = tf.TensorArray(tf.float32, tf.shape(seeds)[0])
            for i in tf.range(tf.shape(seeds)[0]):
                losses = losses.write(i, loss_after(seeds[i]))
            loss = tf.reduce_mean(losses.stack())
        grads = tape.gradient(loss, weights)
        del tape
        optimizer.apply_gradients(zip(grads, weights))
        return loss, tf.linalg.global_norm(grads)

    return [meta(tf.range(4 * i, 4 * i + 4)) for i in range(6)]


@program
def fields_of_light(tf, np):
    """Mildenhall et al. 2020: colours along rays through a small scene, from encoded places."""

    def encoded(x, count):
        scaled = x[..., None, :] * 2.0 ** tf.range(count, dtype=tf.float32)[:, None]
        waves = tf.concat([tf.sin(scaled), tf.cos(scaled)], -1)
        return tf.reshape(waves, tf.concat([tf.shape(x)[:-1], [-1]], 0))

    hidden = [tf.keras.layers.Dense(16, "relu", kernel_initializer="he_normal") for _ in range(2)]
    out = tf.keras.layers.Dense(4)
    field = tf.keras.Sequential([tf.keras.Input((18,)), *hidden, out])
    _filled(field, np, 25, 0.3)

    def render(origins, ways, near=1.0, far=3.0, count=6):
        depth = tf.linspace(near, far, count)
        places = origins[:, None] + ways[:, None] * depth[None, :, None]
        raw = tf.reshape(field(tf.reshape(encoded(places, 3), [-1, 18])), [-1, count, 4])
        colour, density = tf.sigmoid(raw[..., :3]), tf.nn.relu(raw[..., 3])
        apart = tf.concat([depth[1:] - depth[:-1], [1e10]], -1)
        opaque = 1.0 - tf.exp(-density * apart)
        weights = opaque * tf.math.cumprod(1.0 - opaque + 1e-10, axis=-1, exclusive=True)
        return tf.reduce_sum(weights[..., None] * colour, 1), tf.reduce_sum(weights * depth, -1)

    u, v = np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 3))
    ways = tf.math.l2_normalize(np.stack([u, v, np.ones_like(u)], -1).reshape(-1, 3).astype("float32"), axis=-1)
    origins = tf.broadcast_to([0.0, 0.0, -2.0], tf.shape(ways))
    truth = tf.cast(tf.sin(ways * 3) / 2 + 0.5, tf.float32)
    optimizer = tf.keras.optimizers.Adam(5e-3, global_clipnorm=1.0)

    @tf.function(jit_compile=False)
    def step():
        with tf.GradientTape() as tape:
            colour, _ = render(origins, ways)
            loss = tf.reduce_mean(tf.math.squared_difference(colour, truth))
        grads = tape.gradient(loss, field.trainable_variables)
        optimizer.apply_gradients(zip(grads, field.trainable_variables))
        return loss

    losses = [step() for _ in range(6)]
    return losses, -10.0 * tf.math.log(losses[-1]) / tf.math.log(10.0), render(origins[:2], ways[:2])


@program
def contrast_of_views(tf, np):
    """Chen, Kornblith, Norouzi, Hinton 2020: two views of each picture know each other; pipelines with seeds."""
    pictures = np.random.default_rng(26).random((8, 10, 10, 3)).astype("float32")

    def view(image, seed):
        image = tf.image.stateless_random_crop(image, [8, 8, 3], seed)
        image = tf.image.stateless_random_flip_left_right(image, seed)
        image = tf.image.stateless_random_brightness(image, 0.2, seed)
        return tf.image.per_image_standardization(tf.image.stateless_random_contrast(image, 0.8, 1.2, seed))

    def views(i, image):
        seed = tf.stack([tf.cast(i, tf.int32), 3])
        return view(image, seed), view(image, seed + 7)

    data = tf.data.Dataset.from_tensor_slices(pictures).enumerate().map(views, num_parallel_calls=tf.data.AUTOTUNE)
    data = data.batch(4, drop_remainder=True).cache().prefetch(2)
    encoder = tf.keras.Sequential([
        tf.keras.Input((8, 8, 3)), tf.keras.layers.DepthwiseConv2D(3, depth_multiplier=2, activation="relu"),
        tf.keras.layers.BatchNormalization(momentum=0.9), tf.keras.layers.GlobalMaxPooling2D(),
        tf.keras.layers.Dense(5, use_bias=False), tf.keras.layers.UnitNormalization(),
    ])  # fmt: skip
    rng = np.random.default_rng(27)
    for layer in encoder.layers:
        if "normalization" not in layer.name:
            layer.set_weights([rng.normal(size=w.shape, scale=0.5).astype("float32") for w in layer.get_weights()])
    optimizer = tf.keras.optimizers.SGD(0.02, momentum=0.9)

    @tf.function
    def step(one, two):
        with tf.GradientTape() as tape:
            a, b = encoder(one, training=True), encoder(two, training=True)
            both = tf.concat([a, b], 0)
            alike = tf.matmul(both, both, transpose_b=True) / 0.5
            alike = tf.linalg.set_diag(alike, tf.fill([tf.shape(both)[0]], -1e9))
            labels = tf.roll(tf.range(tf.shape(both)[0]), shift=tf.shape(a)[0], axis=0)
            loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(labels, alike, from_logits=True))
        grads = tape.gradient(loss, encoder.trainable_variables)
        optimizer.apply_gradients(zip(grads, encoder.trainable_variables))
        return loss

    losses = [step(one, two) for _ in range(3) for one, two in data]
    return losses, encoder(pictures[:2, :8, :8]), [w for w in encoder.get_weights() if len(w.shape) == 1]
