"""How elements are kept and made ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.data import declarations as d
from graphrt.data.base import (
    AUTOTUNE,
    DatasetBase,
    as_long,
    as_text,
)
from graphrt.data.options import Options

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset
import json


class Keeping(DatasetBase):
    """The methods that say how a pipeline runs."""

    __slots__ = ()

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """The elements, kept in memory (or in files that begin with `filename`) once they have all been read.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.random(seed=1, rerandomize_each_iteration=True).take(3).cache()
        >>> list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
        True
        """
        handle, _ = d.AnonymousMemoryCache()
        return self._same(d.CacheDatasetV2, "CacheDataset", as_text(filename, "filename"), handle, name=name)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The elements, up to `buffer_size` (AUTOTUNE: a few) of which are made ahead, on a thread.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
        [np.int64(0), np.int64(1)]

        Raises:
          InvalidArgumentError: the size is negative.
        """
        size = as_long(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size")
        return self._same(d.PrefetchDataset, "_PrefetchDataset", size, name=name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that can be made without an error.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.from_tensor_slices(["1", "x", "3"]).map(lambda s: tf.strings.to_number(s))
        >>> list(dataset.ignore_errors().as_numpy_iterator())
        [np.float32(1.0), np.float32(3.0)]
        """
        return self._same(d.IgnoreErrorsDataset, "_IgnoreErrorsDataset", log_warning=log_warning, name=name)

    def options(self) -> Options:
        """The options of this dataset and of those it is made of."""
        return self._options_attr

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same elements, made under `options`.

        Raises:
          TypeError: it is no `tf.data.Options`.
        """
        if not isinstance(options, Options):
            raise TypeError(errors.at_user_line(f"with_options needs a tf.data.Options, found {options!r}"))
        made = self._same(d.OptionsDataset, "_OptionsDataset", _options=json.dumps(options.for_run()), name=name)
        made._options_attr = self._options_attr.merge(options)
        return made
