"""`Dataset.with_options`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from graphrt import errors
from graphrt.data.dataset import Dataset, same_elements, set_options
from graphrt.data.declaration import dataset_op
from graphrt.data.methods import T, transformation
from graphrt.data.options import Options
from graphrt.data.pipeline import Element, Run, Source, Wrapping
from graphrt.types.nesting import shown


class Optioned(Wrapping):
    """The input, with options set."""

    __slots__ = ("given",)

    def __init__(self, input: Source, given: dict[str, Any]) -> None:
        super().__init__(input)
        self.given = given

    def open(self, run: Run) -> Iterator[Element]:
        return self.input.open(run)

    def options(self) -> dict[str, Any]:
        return {**self.input.options(), **self.given}


OptionsDataset = dataset_op(
    "OptionsDataset", "input_dataset: variant", lambda x, *, _options: Optioned(x, json.loads(_options)),
    "serialized_options: string = ''; _options: string = '{}'",
)  # fmt: skip


@transformation
def with_options(self: Dataset[T], options: Options, name: str | None = None) -> Dataset[T]:
    """The same elements, made under `options`.

    Raises:
      TypeError: it is no `tf.data.Options`.
    """
    if not isinstance(options, Options):
        raise TypeError(errors.at_user_line(f"with_options needs a tf.data.Options, found {shown(options)}"))
    made = same_elements(self, OptionsDataset, "_OptionsDataset", _options=json.dumps(options.for_run()), name=name)
    set_options(made, options)
    return made
