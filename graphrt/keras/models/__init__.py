"""`keras.models`."""

from __future__ import annotations

from graphrt.keras import layer_classes as _layer_classes
from graphrt.keras.models.cloning import clone_model
from graphrt.keras.models.model import Functional, Model
from graphrt.keras.models.saving import load_model, model_from_json, save_model
from graphrt.keras.models.sequential import Sequential

__all__ = ["Functional", "Model", "Sequential", "clone_model", "load_model", "model_from_json", "save_model"]

_layer_classes.add(globals(), Model)  # models are layers, too
