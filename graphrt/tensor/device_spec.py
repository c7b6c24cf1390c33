"""Names of devices in parts: `tf.DeviceSpec`."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import bounded, shown

__all__ = ["DeviceSpec"]

_FIELDS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """What a device is called: job, replica, task, type and index, each of which may be left open.

    >>> import graphrt as tf
    >>> tf.DeviceSpec(job="worker", device_type="CPU", device_index=0).to_string()
    '/job:worker/device:CPU:0'
    >>> tf.DeviceSpec.from_string("/task:3").replace(job="ps").to_string()
    '/job:ps/task:3'
    """

    __slots__ = _FIELDS

    job: str | None
    replica: int | None
    task: int | None
    device_type: str | None
    device_index: int | None

    @bounded
    def __init__(
        self, job: str | None = None, replica: int | None = None, task: int | None = None,
        device_type: str | None = None, device_index: int | None = None,
    ) -> None:  # fmt: skip
        for name, value in zip(_FIELDS, (job, replica, task, device_type, device_index)):
            if value is not None:
                value = int(value) if name in ("replica", "task", "device_index") else str(value)
            if name == "device_type" and value is not None:
                value = str(value).upper()
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: str) -> None:
        raise AttributeError(f"a DeviceSpec does not change; make another one: spec.replace({name}={shown(value)})")

    @classmethod
    def from_string(cls, spec: str) -> DeviceSpec:
        """The parts of a name such as "/job:worker/task:1/device:CPU:0".

        Raises:
          ValueError: a part is not known, or the type is given twice.
        """
        return cls(**_parsed(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """The parts of another name."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """The name."""
        parts = [f"/{n}:{getattr(self, n)}" for n in ("job", "replica", "task") if getattr(self, n) is not None]
        if self.device_type is not None:
            parts.append(f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}")
        return "".join(parts)

    def replace(self, **kwargs: TensorLike) -> DeviceSpec:
        """This name with other parts."""
        return DeviceSpec(**{**{n: getattr(self, n) for n in _FIELDS}, **kwargs})

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This name with the parts that `dev` gives."""
        return self.replace(**{n: getattr(dev, n) for n in _FIELDS if getattr(dev, n) is not None})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{n}={getattr(self, n)}' for n in _FIELDS)})>"


def _parsed(spec: str) -> dict[str, Any]:
    errors.expect(spec, str, "spec", "a text such as '/device:CPU:0'")
    found: dict[str, Any] = {}
    for part in [p.split(":") for p in spec.split("/") if p]:
        key = part[0]
        if len(part) == 2 and key in ("job", "replica", "task"):
            if part[1] != "*":
                found[key] = part[1]
        elif (len(part) == 3 and key == "device") or (key.upper() in ("CPU", "GPU", "TPU") and len(part) <= 2):
            if "device_type" in found:
                raise ValueError(errors.at_user_line(f"Several device types in the device spec: {spec}."))
            kind, index = (part[1], part[2]) if key == "device" else (key, part[1] if len(part) == 2 else "*")
            found["device_type"] = None if kind == "*" else kind
            found["device_index"] = None if index == "*" else index
        else:
            raise ValueError(errors.at_user_line(f"Unknown attribute '{key}' in the device spec '{spec}'."))
    return found
