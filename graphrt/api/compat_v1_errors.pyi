# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.errors import (
    AbortedError as AbortedError, AlreadyExistsError as AlreadyExistsError, CancelledError as CancelledError,
    DataLossError as DataLossError, DeadlineExceededError as DeadlineExceededError,
    FailedPreconditionError as FailedPreconditionError, InternalError as InternalError,
    InvalidArgumentError as InvalidArgumentError, NotFoundError as NotFoundError, OpError as OpError,
    OutOfRangeError as OutOfRangeError, PermissionDeniedError as PermissionDeniedError,
    ResourceExhaustedError as ResourceExhaustedError, UnauthenticatedError as UnauthenticatedError,
    UnavailableError as UnavailableError, UnimplementedError as UnimplementedError, UnknownError as UnknownError
)
