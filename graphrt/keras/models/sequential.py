"""`Sequential`: layers one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import graphrt as tf
from graphrt.keras.configurable import policy, serialize
from graphrt.keras.layer_classes import deserialize, shared_by_name
from graphrt.keras.layers.base import Layer, declared_input_shape
from graphrt.keras.layers.core import Input, InputLayer, Lambda
from graphrt.keras.masks import mask_of, set_mask
from graphrt.keras.models.functional import LayerGraph, adapted
from graphrt.keras.models.model import Model, as_model_input
from graphrt.keras.names import auto_name, path_scope
from graphrt.keras.symbolic import KerasTensor, place_behind
from graphrt.tensor.tensor import Tensor
from graphrt.types.nesting import said

if TYPE_CHECKING:
    pass


class Sequential(Model):
    """A model that gives its input to the first layer, what that gives to the second, and so on.

    The weights are made when the shape of the input is known: from a first `Input`, or from the first data.

    >>> import graphrt as tf
    >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3), tf.keras.layers.ReLU()])
    >>> model.add(tf.keras.layers.Dense(1))
    >>> model.output_shape, len(model.weights)
    ((None, 1), 4)

    Raises:
      ValueError: something is no layer, or two layers have one name. One layer may stand in several places.
    """

    def __init__(self, layers: Any = None, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(trainable=trainable, name=name)
        self._layers: list[Any] = []
        self._entry: Any = None
        for layer in layers or ():
            self.add(layer, rebuild=False)
        self._rebuild()

    _untracked = Model._untracked | {"_entry"}

    def add(self, layer: object, rebuild: bool = True) -> None:
        """Puts a layer (or first an `Input`) at the end."""
        entry = as_model_input(layer)
        if entry is not None:
            if self._layers or self._entry is not None:
                raise ValueError(
                    f"Sequential model '{self.name}' has already been configured to use input shape "
                    f"{None if self._entry is None else self._entry.shape}. You cannot add a different Input to it."
                )
            self._entry = entry
            return
        if not isinstance(layer, Layer):
            if callable(layer) and not isinstance(layer, type):  # of a layer, whose parentheses are missing
                layer = Lambda(layer)
            else:
                raise ValueError(f"Only instances of `keras.Layer` can be added to a Sequential model. Received: "
                                 f"{said(layer)} (of type {type(layer)})")  # fmt: skip
        if any(layer.name == known.name and layer is not known for known in self._layers):
            raise ValueError(
                f"All layers added to a Sequential model should have unique names. Name '{layer.name}' is already the "
                "name of a layer in this model. Update the `name` argument to pass a unique name."
            )
        declared = declared_input_shape(layer)
        if not self._layers and self._entry is None and declared is not None:
            self._entry = Input(batch_shape=declared)
        self._layers.append(layer)
        if rebuild:
            self._rebuild()

    def pop(self, rebuild: bool = True) -> Any:
        """Takes the last layer away, and gives it.

        Raises:
          ValueError: there is none.
        """
        if not self._layers:
            raise ValueError("There are no layers in the model.")
        layer = self._layers.pop()
        self.built = False
        self._graph = None
        if rebuild:
            self._rebuild()
        return layer

    def _rebuild(self) -> None:
        """Puts the layers together symbolically, where the shape of the input is known."""
        self._graph = None
        self.train_function = self.test_function = self.predict_function = None
        if self._entry is None or not self._layers:
            self.built = False
            return
        x = self._entry
        with path_scope(self.name):
            for layer in self._layers:
                x = layer(x)
        self._graph = LayerGraph(self._entry, x)
        auto_name("functional")  # Keras makes a model of this class here, so that the next one has the next name
        self.built = True

    def build(self, input_shape: Any = None) -> None:
        """Makes the weights, for inputs of this shape."""
        if self._graph is not None or input_shape is None:
            return
        if not self._layers:
            raise ValueError(f"Sequential model {self.name} cannot be built because it has no layers. Call "
                             "`model.add(layer)`.")  # fmt: skip
        if isinstance(input_shape, list) and len(input_shape) == 1 and isinstance(input_shape[0], (tuple, list)):
            input_shape = input_shape[0]
        if isinstance(input_shape, list) and input_shape and isinstance(input_shape[0], (tuple, list)):
            return  # several inputs: the first layer takes them as they come
        shape = tf.TensorShape(input_shape).as_list()
        dtype = "int32" if type(self._layers[0]).__name__ == "Embedding" else None
        self._entry = Input(batch_shape=(None, *shape[1:]), dtype=dtype)
        self._rebuild()

    def call(self, inputs: Tensor, training: Any = None, mask: Any = None) -> Any:
        """What the last layer gives."""
        x = inputs[0] if isinstance(inputs, (list, tuple)) and len(inputs) == 1 else inputs
        if self._entry is not None and not isinstance(x, (list, tuple, dict)) and isinstance(self._entry, KerasTensor):
            x = adapted(x, self._entry) if self._layers[0].autocast else x
        if isinstance(x, dict) and isinstance(self._entry, KerasTensor):
            raise ValueError(
                f"The input of the model is one tensor, found a dict with keys {sorted(x)}: give it one of them"
            )
        if mask is not None and mask_of(x) is None:
            set_mask(x, mask)
        for layer in self._layers:
            x = layer(x) if training is None else layer(x, training=training)
        return x

    @property
    def layers(self) -> list[Layer]:
        """The layers, without that of the input."""
        return [layer for layer in self._layers if not isinstance(layer, InputLayer)]

    def _saved_children(self) -> dict[str, object]:
        found = super()._saved_children()
        if self._graph is None:  # the first place is that of the input
            found = {**self._saved_graph([None, *self._layers]), **{k: v for k, v in found.items() if k != "_layers"}}
        return found

    def _saved_graph(self, layers: list[Any]) -> dict[str, object]:
        return {"_functional": {"_operations": layers}}

    def get_config(self) -> dict[str, Any]:
        """What `from_config` makes an equal model of, without weights."""
        parts = [serialize(layer) for layer in self._layers]
        if self._entry is not None:
            entry = place_behind(self._entry)[0].layer
            parts.insert(0, serialize(entry))
        found = {"name": self.name, "trainable": self.trainable, "dtype": policy(self.dtype_policy), "layers": parts}
        if self._entry is not None:
            found["build_input_shape"] = list(self._entry.shape)
        return found

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        """The model that `get_config` described."""
        if "layers" not in config:
            return cls(**config)
        made = cls(name=config.get("name"), trainable=config.get("trainable", True))
        for part in shared_by_name(deserialize(part, custom_objects) for part in config["layers"]):
            made.add(part, rebuild=False)
        made._rebuild()
        return made
