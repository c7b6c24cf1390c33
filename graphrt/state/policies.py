"""Options of variables that matter where there are several devices; there is one here."""

from __future__ import annotations

import enum

from graphrt.types.nesting import Choices


class VariableSynchronization(enum.Enum, metaclass=Choices):
    """When copies of a variable on several devices are synchronized; there is one device here.

    >>> import graphrt as tf
    >>> tf.Variable(0, synchronization=tf.VariableSynchronization.ON_READ).synchronization.name
    'ON_READ'
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum, metaclass=Choices):
    """How updates of copies of a variable are combined; there is one device here.

    >>> import graphrt as tf
    >>> tf.Variable(0, aggregation=tf.VariableAggregation.SUM).aggregation.name
    'SUM'
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
