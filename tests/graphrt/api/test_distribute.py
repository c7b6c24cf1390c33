"""The one strategy of `tf.distribute`: whatever programs ask of it is answered for one replica."""

import pytest

import graphrt as tf

STRATEGY = tf.distribute.get_strategy()
REPLICA = tf.distribute.get_replica_context()
REFUSED = "MirroredStrategy MultiWorkerMirroredStrategy OneDeviceStrategy ParameterServerStrategy TPUStrategy".split()


def test_datasets_are_those_given():
    dataset = tf.data.Dataset.range(4).batch(2)
    assert STRATEGY.experimental_distribute_dataset(dataset) is dataset

    def read(context):
        size = context.get_per_replica_batch_size(4)
        return tf.data.Dataset.range(8).shard(context.num_input_pipelines, context.input_pipeline_id).batch(size)

    assert [x.numpy().tolist() for x in STRATEGY.distribute_datasets_from_function(read)] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
    ]


def test_values_of_replicas_are_the_value():
    value = tf.constant([1, 2])
    assert STRATEGY.experimental_local_results(value) == (value,)
    assert STRATEGY.gather(value, axis=0) is value
    assert REPLICA.all_gather(value, axis=0) is value
    assert STRATEGY.extended.reduce_to("SUM", value, destinations=None) is value


@pytest.mark.parametrize("how, expected", [("SUM", 6.0), ("mean", 2.0), (tf.distribute.ReduceOp.MEAN, 2.0)])
def test_reduce_along_an_axis(how, expected):
    assert STRATEGY.reduce(how, tf.constant([1.0, 2.0, 3.0]), axis=0).numpy() == expected


def test_merge_call_is_given_the_strategy():
    assert REPLICA.strategy is STRATEGY
    seen = REPLICA.merge_call(lambda strategy, x, y: (strategy, x + y), args=(1,), kwargs={"y": 2})
    assert seen == (STRATEGY, 3)


def test_variables_are_updated_where_they_are():
    v = tf.Variable(1.0)
    extended = STRATEGY.extended
    with extended.colocate_vars_with(v):
        extended.update(v, lambda var, x: var.assign_add(x), args=(2.0,))
    assert v.numpy() == 3.0 and extended.variable_created_in_scope(v)


def test_a_training_step_as_it_is_written_for_strategies():
    with STRATEGY.scope():
        w = tf.Variable(2.0)

    @tf.function
    def step(x):
        def replica(x):
            with tf.GradientTape() as tape:
                loss = w * x
            w.assign_sub(0.5 * tape.gradient(loss, w))
            return loss

        return STRATEGY.reduce("SUM", STRATEGY.run(replica, args=(x,)), axis=None)

    assert step(tf.constant(2.0)).numpy() == 4.0 and w.numpy() == 1.0


@pytest.mark.parametrize("name", REFUSED)
def test_other_strategies_are_refused_with_the_remedy(name):
    with pytest.raises(tf.errors.UnimplementedError, match=f"{name} is refused.*get_strategy"):
        getattr(tf.distribute, name)()
