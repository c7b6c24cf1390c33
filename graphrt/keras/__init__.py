"""`tf.keras`: layers, models, losses, metrics and optimizers on `Module` and `function`, named as Keras 3 names them.

>>> import numpy as np
>>> import graphrt as tf
>>> model = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(1)])
>>> model.compile(optimizer="adam", loss="mse")
>>> history = model.fit(np.ones((8, 3)), np.ones((8, 1)), epochs=2, verbose=0)
>>> len(history.history["loss"])
2
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrt.keras import (
    activations,
    backend,
    callbacks,
    config,
    constraints,
    initializers,
    layers,
    losses,
    metrics,
    models,
    ops,
    optimizers,
    random,
    regularizers,
    saving,
    utils,
)
from graphrt.keras.initializers import Initializer
from graphrt.keras.layers import Input, InputSpec, Layer
from graphrt.keras.losses import Loss
from graphrt.keras.metrics import Metric
from graphrt.keras.models import Model, Sequential
from graphrt.keras.optimizers import Optimizer
from graphrt.keras.regularizers import Regularizer
from graphrt.keras.symbolic import KerasTensor
from graphrt.keras.variable import Variable
from graphrt.types.missing import missing_names

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

__all__ = [
    "Initializer", "Input", "InputSpec", "KerasTensor", "Layer", "Loss", "Metric", "Model", "Optimizer", "Regularizer",
    "Sequential", "Variable", "activations", "backend", "callbacks", "config", "constraints", "initializers", "layers",
    "losses", "metrics", "models", "ops", "optimizers", "random", "regularizers", "saving", "utils",
]  # fmt: skip
