"""Programs of one screen, written from papers and textbooks, and what TensorFlow computes with them (`paper_programs.json`).

Each takes the library under its usual names and gives numbers. Random numbers come from stateless ops, from generators with a
seed, or from NumPy; so the numbers are the same wherever the program runs.
"""

import math

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def _dense(np, sizes, seed):
    rng = np.random.default_rng(seed)
    return [
        (rng.normal(size=(m, n), scale=1 / math.sqrt(m)).astype("float32"), np.zeros(n, "float32"))
        for m, n in zip(sizes, sizes[1:])
    ]


def _network(tf, np, sizes, seed, activation="tanh"):
    layers = [tf.keras.layers.Dense(n, activation if i < len(sizes) - 2 else None) for i, n in enumerate(sizes[1:])]
    model = tf.keras.Sequential([tf.keras.Input((sizes[0],)), *layers])
    model.set_weights([w for pair in _dense(np, sizes, seed) for w in pair])
    return model


@program
def physics_informed_network(tf, np):
    """Raissi, Perdikaris, Karniadakis 2019: u'' = -pi^2 sin(pi x), u(0) = u(1) = 0."""
    model = _network(tf, np, [1, 16, 16, 1], 0)
    optimizer = tf.keras.optimizers.Adam(0.01)
    x = tf.reshape(tf.linspace(0.0, 1.0, 21), [-1, 1])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch(x)
                    u = model(x)
                du = first.gradient(u, x)
            ddu = second.gradient(du, x)
            residual = ddu + math.pi**2 * tf.sin(math.pi * x)
            loss = tf.reduce_mean(residual**2) + 10.0 * (u[0, 0] ** 2 + u[-1, 0] ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    return [step() for _ in range(30)][::10]


@program
def adaptive_ode_solver(tf, np):
    """Dormand, Prince 1980, order 3(2) of Bogacki, Shampine: the predator and the prey."""

    def field(y):
        return tf.stack([1.5 * y[0] - y[0] * y[1], -3.0 * y[1] + y[0] * y[1]])

    @tf.function
    def solve(y, end, tolerance):
        t, h, steps = tf.constant(0.0, tf.float64), tf.constant(0.1, tf.float64), 0
        while t < end:
            h = tf.minimum(h, end - t)
            k1 = field(y)
            k2 = field(y + h / 2 * k1)
            k3 = field(y + 3 * h / 4 * k2)
            new = y + h * (2 * k1 + 3 * k2 + 4 * k3) / 9
            error = tf.norm(h * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - field(new) / 8))
            if error < tolerance:
                t += h
                y = new
                steps += 1
            h *= tf.clip_by_value(0.9 * (tolerance / (error + 1e-12)) ** (1 / 3), 0.2, 5.0)
        return y, steps

    return solve(tf.constant([1.0, 1.0], tf.float64), tf.constant(5.0, tf.float64), tf.constant(1e-5, tf.float64))


@program
def reinforce(tf, np):
    """Williams 1992, on a corridor of five places: right ends it with a reward, each step costs."""
    logits = tf.Variable(np.zeros((5, 2), "float32"))
    optimizer = tf.keras.optimizers.SGD(0.5)

    @tf.function
    def episode(seed):
        place, steps, goes = tf.constant(0), tf.constant(0), tf.constant(True)
        places, actions = tf.TensorArray(tf.int32, 0, True), tf.TensorArray(tf.int32, 0, True)
        while goes:
            draw = tf.random.stateless_uniform([], [seed, steps])
            action = tf.cast(draw < tf.nn.softmax(logits[place])[1], tf.int32)
            places, actions = places.write(steps, place), actions.write(steps, action)
            place = tf.maximum(place + 2 * action - 1, 0)
            steps += 1
            goes = place < 5 and steps < 50
        return places.stack(), actions.stack(), 1.0 - 0.05 * tf.cast(steps, tf.float32)

    found = []
    for i in range(20):
        places, actions, gain = episode(tf.constant(i))
        with tf.GradientTape() as tape:
            chosen = tf.gather(tf.nn.log_softmax(logits), places)
            loss = -gain * tf.reduce_sum(tf.gather(chosen, actions, batch_dims=1))
        optimizer.apply_gradients([(tape.gradient(loss, logits), logits)])
        found.append(gain)
    return [*found[::5], tf.nn.softmax(logits)[:, 1]]


@program
def hamiltonian_monte_carlo(tf, np):
    """Duane, Kennedy, Pendleton, Roweth 1987; Neal 2011: a correlated Gaussian."""
    precision = tf.linalg.inv(tf.constant([[1.0, 0.8], [0.8, 1.0]]))

    def energy(q):
        return tf.reduce_sum(q * tf.linalg.matvec(precision, q)) / 2

    def slope(q):
        with tf.GradientTape() as tape:
            tape.watch(q)
            u = energy(q)
        return tape.gradient(u, q)

    @tf.function
    def chain(n):
        q, accepted = tf.constant([1.0, -1.0]), 0
        samples = tf.TensorArray(tf.float32, n)
        for i in tf.range(n):
            p = tf.random.stateless_normal([2], [i, 0])
            new, momentum = q, p - 0.1 * slope(q) / 2
            for j in range(10):
                new += 0.1 * momentum
                if j < 9:
                    momentum -= 0.1 * slope(new)
            momentum -= 0.1 * slope(new) / 2
            change = energy(q) - energy(new) + tf.reduce_sum(p**2 - momentum**2) / 2
            if tf.math.log(tf.random.stateless_uniform([], [i, 1])) < change:
                q = new
                accepted += 1
            samples = samples.write(i, q)
        found = samples.stack()
        return tf.reduce_mean(found, 0), tf.math.reduce_variance(found, 0), accepted

    return chain(100)


@program
def beam_search(tf, np):
    """Graves 2012; the four best sequences under a table of transitions."""
    table = tf.nn.log_softmax(tf.constant(np.random.default_rng(3).normal(size=(12, 12)), tf.float32) * 2)

    @tf.function
    def search(width, length):
        scores = tf.where(tf.range(width) == 0, 0.0, -1e9)
        beams = tf.zeros([width, 1], tf.int32)
        for _ in tf.range(length):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(beams, tf.TensorShape([None, None]))])
            candidates = tf.expand_dims(scores, 1) + tf.gather(table, beams[:, -1])
            scores, places = tf.math.top_k(tf.reshape(candidates, [-1]), width)
            beams = tf.concat([tf.gather(beams, places // 12), tf.expand_dims(places % 12, 1)], 1)
        return beams, scores

    return search(tf.constant(4), tf.constant(6))


@program
def generative_adversarial_network(tf, np):
    """Goodfellow et al. 2014, for numbers around 3."""
    generator, critic = _network(tf, np, [2, 8, 1], 1), _network(tf, np, [1, 8, 1], 2)
    optimizers = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.Adam(0.01)
    cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def step(seed):
        noise = tf.random.stateless_normal([32, 2], [seed, 0])
        real = 3 + tf.random.stateless_normal([32, 1], [seed, 1]) / 2
        with tf.GradientTape() as of_generator, tf.GradientTape() as of_critic:
            fakes = generator(noise, training=True)
            told_real, told_fake = critic(real, training=True), critic(fakes, training=True)
            loss = cross_entropy(tf.ones_like(told_fake), told_fake)
            judged = cross_entropy(tf.ones_like(told_real), told_real) + cross_entropy(
                tf.zeros_like(told_fake), told_fake
            )
        for model, tape, cost, optimizer in zip((generator, critic), (of_generator, of_critic), (loss, judged), optimizers):
            gradients = tape.gradient(cost, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss, judged, tf.reduce_mean(fakes)

    return [step(tf.constant(i)) for i in range(20)][::6]


@program
def variational_autoencoder(tf, np):
    """Kingma, Welling 2014, of eight pictures of 3 x 3."""
    encoder, decoder = _network(tf, np, [9, 8, 4], 5), _network(tf, np, [2, 8, 9], 6)
    pictures = tf.constant((np.random.default_rng(7).random((8, 9)) < 0.5).astype("float32"))
    optimizer = tf.keras.optimizers.RMSprop(0.01)
    variables = encoder.trainable_variables + decoder.trainable_variables

    @tf.function
    def step(seed):
        with tf.GradientTape() as tape:
            mean, log_variance = tf.split(encoder(pictures), 2, axis=1)
            z = mean + tf.exp(log_variance / 2) * tf.random.stateless_normal([8, 2], [seed, 0])
            entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=pictures, logits=decoder(z))
            divergence = -0.5 * tf.reduce_sum(1 + log_variance - mean**2 - tf.exp(log_variance), 1)
            loss = tf.reduce_mean(tf.reduce_sum(entropy, 1) + divergence)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return [step(tf.constant(i)) for i in range(20)][::6]


@program
def transformer(tf, np):
    """Vaswani et al. 2017: one block with masked attention learns to repeat."""
    rng = np.random.default_rng(8)
    made = {k: tf.Variable(rng.normal(size=s, scale=0.3).astype("float32")) for k, s in {
        "embed": (7, 8), "place": (6, 8), "q": (8, 2, 4), "k": (8, 2, 4), "v": (8, 2, 4), "o": (2, 4, 8),
        "up": (8, 16), "down": (16, 8), "out": (8, 7),
    }.items()}  # fmt: skip
    data = tf.constant(rng.integers(0, 7, (4, 6)), tf.int32)

    def normalized(x):
        mean, variance = tf.nn.moments(x, -1, keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-5)

    def logits_of(tokens):
        x = tf.gather(made["embed"], tokens) + made["place"]
        q, k, v = (tf.einsum("btd,dhe->bhte", normalized(x), made[n]) for n in "qkv")
        weights = tf.einsum("bhte,bhse->bhts", q, k) / 2.0
        mask = tf.linalg.band_part(tf.ones([6, 6]), -1, 0)
        weights = tf.nn.softmax(tf.where(mask > 0, weights, -1e9))
        x += tf.einsum("bhts,bhse,hed->btd", weights, v, made["o"])
        x += tf.nn.gelu(normalized(x) @ made["up"]) @ made["down"]
        return normalized(x) @ made["out"]

    optimizer = tf.keras.optimizers.Adam(0.02)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            found = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=data, logits=logits_of(data))
            loss = tf.reduce_mean(found)
        gradients = tape.gradient(loss, list(made.values()))
        gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
        optimizer.apply_gradients(zip(gradients, made.values()))
        return loss, norm

    return [step() for _ in range(10)][::3]


@program
def character_network(tf, np):
    """Karpathy 2015: letters by a recurrent network, and what it writes."""
    text = "the cat sat on the mat. " * 6
    letters = sorted(set(text))
    codes = tf.constant([letters.index(c) for c in text])
    rows = tf.data.Dataset.from_tensor_slices(codes).batch(13, drop_remainder=True).map(lambda x: (x[:-1], x[1:]))
    n = len(letters)
    rng = np.random.default_rng(4)
    recurrent = tf.keras.layers.GRU(16, return_sequences=True, return_state=True)
    embed, out = tf.keras.layers.Embedding(n, 8), tf.keras.layers.Dense(n)
    state = recurrent(embed(tf.zeros([1, 1], tf.int32)))[1]
    out(state)
    for layer in (embed, recurrent, out):
        layer.set_weights([rng.normal(size=w.shape, scale=0.3).astype("float32") for w in layer.get_weights()])
    variables = [v for layer in (embed, recurrent, out) for v in layer.trainable_variables]
    optimizer = tf.keras.optimizers.Adam(0.03)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            logits = out(recurrent(embed(x))[0])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    losses = [step(x, y) for _ in range(4) for x, y in rows.batch(4)]

    @tf.function
    def written(code, count):
        state, found = tf.zeros([1, 16]), tf.TensorArray(tf.int32, count)
        for i in tf.range(count):
            x, state = recurrent(embed(tf.reshape(code, [1, 1])), initial_state=state)
            code = tf.argmax(out(x)[0, 0], output_type=tf.int32)
            found = found.write(i, code)
        return found.stack()

    return [*losses[::3], written(codes[0], tf.constant(12))]


@program
def skip_grams(tf, np):
    """Mikolov et al. 2013: words by their neighbours, with negative samples."""
    words = tf.constant(np.random.default_rng(5).integers(0, 10, 60), tf.int32)
    inner, outer = (tf.Variable(np.random.default_rng(s).normal(size=(10, 4)).astype("float32")) for s in (1, 2))
    found = []
    for i in range(6):
        wrong = tf.random.stateless_uniform([59, 3], [i, 1], 0, 10, tf.int32)
        with tf.GradientTape() as tape:
            center = tf.nn.embedding_lookup(inner, words[:-1])
            good = tf.reduce_sum(center * tf.gather(outer, words[1:]), 1)
            bad = tf.einsum("nd,nkd->nk", center, tf.gather(outer, wrong))
            loss = -tf.reduce_mean(tf.math.log_sigmoid(good) + tf.reduce_sum(tf.math.log_sigmoid(-bad), 1))
        for variable, gradient in zip((inner, outer), tape.gradient(loss, [inner, outer])):
            variable.scatter_sub(tf.IndexedSlices(gradient.values * 0.5, gradient.indices))
        found.append(loss)
    return found


@program
def clusters(tf, np):
    """Lloyd 1982, until nothing moves."""
    points = tf.constant(np.random.default_rng(9).normal(size=(60, 2)) + np.repeat([[0, 0], [4, 0], [0, 4]], 20, 0))

    @tf.function
    def fit(centers):
        moved, rounds = tf.constant(True), 0
        while moved:
            nearest = tf.argmin(tf.norm(points[:, None] - centers, axis=2), 1)
            new = tf.math.unsorted_segment_mean(points, nearest, 3)
            moved = tf.reduce_any(tf.abs(new - centers) > 1e-9)
            centers = new
            rounds += 1
        return centers, rounds

    return fit(points[::20])


@program
def kalman_filter(tf, np):
    """Kalman 1960: a moving point, seen with noise."""
    seen = tf.constant(np.cumsum(np.random.default_rng(10).normal(size=30)) + np.arange(30.0))
    move = tf.constant([[1.0, 1.0], [0.0, 1.0]], tf.float64)
    noise = 0.1 * tf.eye(2, dtype=tf.float64)

    def step(state, z):
        mean, spread, _ = state
        mean, spread = tf.linalg.matvec(move, mean), move @ spread @ tf.transpose(move) + noise
        total = spread[0, 0] + 1.0
        gain = spread[:, 0] / total
        surprise = z - mean[0]
        likelihood = -0.5 * (surprise**2 / total + tf.math.log(2 * math.pi * total))
        return mean + gain * surprise, spread - tf.tensordot(gain, spread[0], 0), likelihood

    start = tf.zeros(2, tf.float64), 10 * tf.eye(2, dtype=tf.float64), tf.constant(0.0, tf.float64)
    means, spreads, likelihoods = tf.function(lambda: tf.scan(step, seen, start))()
    return means[-1], spreads[-1], tf.reduce_sum(likelihoods)


@program
def hidden_markov_model(tf, np):
    """Viterbi 1967, Baum et al. 1970: the best path, and the likelihood of what was seen."""
    rng = np.random.default_rng(11)
    change, shows = (tf.nn.log_softmax(tf.constant(rng.normal(size=s))) for s in ((3, 3), (3, 5)))
    seen = tf.constant(rng.integers(0, 5, 20))

    @tf.function
    def run():
        forward = best = shows[:, seen[0]] - math.log(3.0)
        back = tf.TensorArray(tf.int64, 19)
        for i in tf.range(1, 20):
            emitted = shows[:, seen[i]]
            forward = tf.reduce_logsumexp(forward[:, None] + change, 0) + emitted
            steps = best[:, None] + change
            back = back.write(i - 1, tf.argmax(steps, 0))
            best = tf.reduce_max(steps, 0) + emitted
        came, place = back.stack(), tf.argmax(best)
        path = tf.TensorArray(tf.int64, 20).write(19, place)
        for i in tf.range(18, -1, -1):
            place = tf.gather(came[i], place)
            path = path.write(i, place)
        return tf.reduce_logsumexp(forward), path.stack()

    return run()


@program
def q_network(tf, np):
    """Mnih et al. 2015: replay and a target network, on a ring of six places."""
    model, target = _network(tf, np, [6, 12, 2], 12, "relu"), _network(tf, np, [6, 12, 2], 12, "relu")
    memory = tf.Variable(tf.zeros([64, 4], tf.int32))
    optimizer, losses = tf.keras.optimizers.Adam(0.01), []

    @tf.function
    def learn(i):
        rows = tf.gather(memory, tf.random.stateless_uniform([16], [i, 2], 0, tf.minimum(i + 1, 64), tf.int32))
        place, action, reward, following = tf.unstack(rows, axis=1)
        wanted = tf.cast(reward, tf.float32) + 0.9 * tf.reduce_max(target(tf.one_hot(following, 6)), 1)
        with tf.GradientTape() as tape:
            values = tf.gather(model(tf.one_hot(place, 6)), action, batch_dims=1)
            loss = tf.reduce_mean(tf.keras.losses.huber(wanted[:, None], values[:, None]))
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    place = 0
    for i in range(40):
        random = float(tf.random.stateless_uniform([], [i, 3]))
        action = int(tf.argmax(model(tf.one_hot([place], 6))[0])) if random > 0.3 else int(random * 100) % 2
        following = (place + 2 * action - 1) % 6
        memory[i % 64].assign([place, action, int(following == 3), following])
        losses.append(learn(tf.constant(i)))
        place = following
        if i % 10 == 9:
            target.set_weights(model.get_weights())
    return [*losses[::10], model(tf.eye(6))]


@program
def optimal_transport(tf, np):
    """Cuturi 2013: Sinkhorn's iteration, and the gradient through it."""
    x, y = (tf.Variable(np.random.default_rng(s).normal(size=(5, 2))) for s in (13, 14))

    @tf.function
    def cost(x, y):
        distances = tf.reduce_sum((x[:, None] - y[None]) ** 2, 2)
        f, g = tf.zeros(5, tf.float64), tf.zeros(5, tf.float64)
        for _ in tf.range(20):
            f = -0.5 * tf.reduce_logsumexp((g - distances) / 0.5, 1) - 0.5 * math.log(5.0)
            g = -0.5 * tf.reduce_logsumexp((f[:, None] - distances) / 0.5, 0) - 0.5 * math.log(5.0)
        return tf.reduce_sum(tf.exp((f[:, None] + g - distances) / 0.5) * distances)

    with tf.GradientTape() as tape:
        found = cost(x, y)
    return found, *tape.gradient(found, [x, y])


@program
def gaussian_process(tf, np):
    """Rasmussen, Williams 2006: the marginal likelihood is climbed, then asked for values."""
    x = tf.constant(np.linspace(0, 1, 12)[:, None])
    y = tf.sin(6 * x[:, 0])
    scale, length, noise = (tf.Variable(np.log(v)) for v in (1.0, 0.5, 0.1))

    def kernel(a, b):
        return tf.exp(2 * scale) * tf.exp(-((a - tf.transpose(b)) ** 2) / (2 * tf.exp(2 * length)))

    @tf.function
    def likelihood():
        root = tf.linalg.cholesky(kernel(x, x) + tf.exp(2 * noise) * tf.eye(12, dtype=x.dtype))
        weights = tf.linalg.cholesky_solve(root, y[:, None])[:, 0]
        return -0.5 * tf.tensordot(y, weights, 1) - tf.reduce_sum(tf.math.log(tf.linalg.diag_part(root)))

    found = []
    for _ in range(10):
        with tf.GradientTape() as tape:
            value = likelihood()
        for variable, gradient in zip((scale, length, noise), tape.gradient(value, [scale, length, noise])):
            variable.assign_add(0.01 * gradient)
        found.append(value)
    new = tf.constant([[0.25], [0.9]], tf.float64)
    inner = kernel(x, x) + tf.exp(2 * noise) * tf.eye(12, dtype=x.dtype)
    return [*found[::3], tf.linalg.matvec(kernel(new, x), tf.linalg.solve(inner, y[:, None])[:, 0])]


@program
def game_of_life(tf, np):
    """Gardner 1970: a glider on a torus, by a convolution."""
    around = tf.reshape(tf.constant([1.0, 1, 1, 1, 0, 1, 1, 1, 1]), [3, 3, 1, 1])

    @tf.function(reduce_retracing=True)
    def lives(board, count):
        for _ in tf.range(count):
            wide = tf.concat([board[-1:], board, board[:1]], 0)
            wide = tf.concat([wide[:, -1:], wide, wide[:, :1]], 1)
            neighbours = tf.nn.conv2d(wide[None, :, :, None], around, 1, "VALID")[0, :, :, 0]
            board = tf.cast((neighbours == 3) | ((neighbours == 2) & (board > 0)), tf.float32)
        return board

    board = tf.tensor_scatter_nd_update(tf.zeros([8, 8]), [[0, 1], [1, 2], [2, 0], [2, 1], [2, 2]], tf.ones(5))
    return [tf.where(lives(board, tf.constant(n))) for n in (1, 4, 30)]


@program
def page_rank(tf, np):
    """Page, Brin 1998, over a sparse matrix."""
    links = np.random.default_rng(15).integers(0, 8, (24, 2))
    links = np.unique(links[links[:, 0] != links[:, 1]], axis=0)
    degree = np.maximum(np.bincount(links[:, 1], minlength=8), 1)
    matrix = tf.sparse.SparseTensor(links, 1 / degree[links[:, 1]], (8, 8))
    rank = tf.fill([8, 1], tf.constant(1 / 8, tf.float64))
    step = tf.function(lambda r: 0.85 * tf.sparse.sparse_dense_matmul(matrix, r) + 0.15 / 8)
    for _ in range(25):
        rank = step(rank)
        rank /= tf.reduce_sum(rank)
    return rank


@program
def normalizing_flow(tf, np):
    """Dinh, Sohl-Dickstein, Bengio 2017: two coupling layers fit a bent cloud."""
    nets = [_network(tf, np, [1, 8, 2], s) for s in (16, 17)]
    generator = tf.random.Generator.from_seed(5)
    cloud = generator.normal([64, 2])
    cloud = tf.stack([cloud[:, 0], cloud[:, 1] / 2 + cloud[:, 0] ** 2], 1)
    variables = [v for net in nets for v in net.trainable_variables]
    optimizer = tf.keras.optimizers.Adam(0.02)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            x, volume = cloud, 0.0
            for i, net in enumerate(nets):
                kept, moved = x[:, i : i + 1], x[:, 1 - i : 2 - i]
                scale, shift = tf.split(net(kept), 2, axis=1)
                scale = tf.tanh(scale)
                moved = moved * tf.exp(scale) + shift
                volume += scale[:, 0]
                x = tf.concat([kept, moved] if i == 0 else [moved, kept], 1)
            loss = tf.reduce_mean(tf.reduce_sum(x**2, 1) / 2 - volume)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    return [step() for _ in range(12)][::4]


def numbers(tf, np, name):
    """What a program gives, as a flat list of numbers."""
    flat = tf.nest.flatten(PROGRAMS[name](tf, np))
    return [float(v) for part in flat for v in np.asarray(part, "float64").reshape(-1)]
