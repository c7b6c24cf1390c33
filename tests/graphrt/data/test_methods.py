"""How files add methods to `Dataset`; the file of docs/adding_a_transformation.md does."""

import doctest
import inspect
import pathlib
import re
import sys

import pytest

import graphrt as tf
from graphrt.data import methods, transformations
from graphrt.ir.op import REGISTRY
from tests import ROOT

PAGE = ROOT / "docs" / "adding_a_transformation.md"


@pytest.fixture
def every_other(tmp_path, monkeypatch):
    """The file of the page, in a folder beside that of the transformations."""
    (text,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)
    (tmp_path / "every_other.py").write_text(text)
    monkeypatch.setattr(transformations, "__path__", [*transformations.__path__, str(tmp_path)])
    name = f"{transformations.__name__}.every_other"
    methods.import_all(transformations.__name__, [str(tmp_path)])
    yield sys.modules[name]
    del sys.modules[name], transformations.every_other, methods.Methods.every_other
    del REGISTRY["EveryOtherDataset"]


def test_one_file_is_a_transformation(every_other):
    dataset = tf.data.Dataset.range(7).every_other()
    assert [x.item() for x in dataset.as_numpy_iterator()] == [0, 2, 4, 6]
    assert len(dataset) == 4 and repr(dataset).startswith("<_EveryOtherDataset")
    assert str(inspect.signature(tf.data.Dataset.every_other)) == "(self, name: 'str | None' = None) -> 'Dataset'"
    failed, tried = doctest.testmod(every_other)
    assert tried == 2 and not failed

    @tf.function
    def total(n):
        s = tf.constant(0, tf.int64)
        for x in tf.data.Dataset.range(n).every_other():
            s += x
        return s

    assert total(tf.constant(7, tf.int64)).numpy() == 12
    graph = total.get_concrete_function(tf.constant(7, tf.int64)).graph.as_graph_def()
    assert "EveryOtherDataset" in {node.op for node in graph.node}


def test_a_name_is_declared_once():
    def take(self, count):
        return self

    with pytest.raises(ValueError, match=r"Dataset\.take is declared twice, again in"):
        methods.transformation(take)
    assert tf.data.Dataset.take.__module__ == "graphrt.data.transformations.take"


def test_methods_are_those_of_a_class_written_in_one_place():
    assert tf.data.Dataset.batch.__qualname__ == "Dataset.batch"
    assert isinstance(inspect.getattr_static(tf.data.Dataset, "zip"), staticmethod)
    assert tf.data.Dataset.zip.__name__ == "zip"


def test_every_file_of_the_folders_is_named_after_what_it_adds():
    for path in pathlib.Path(transformations.__file__).parent.glob("[!_]*.py"):
        module = sys.modules[f"{transformations.__name__}.{path.stem}"]
        found = getattr(module, path.stem, None) or getattr(module, f"{path.stem}_")
        assert callable(found) and found.__module__ == module.__name__
