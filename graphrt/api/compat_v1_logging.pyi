# Written by tests/stubs.py from graphrt/api/exports.py.
"""Messages to the logger `tensorflow`."""
from graphrt.api.tensorflow1_logging import (
    DEBUG as DEBUG, ERROR as ERROR, FATAL as FATAL, INFO as INFO, WARN as WARN, debug as debug, error as error,
    fatal as fatal, get_verbosity as get_verbosity, info as info, log as log, set_verbosity as set_verbosity,
    warn as warn, warning as warning
)
