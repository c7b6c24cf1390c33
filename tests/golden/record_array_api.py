"""Records the signatures of the array API standard: run with a Python that has array-api-strict."""

import inspect
import json
import os

import array_api_strict

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "array_api_signatures.json")
NOT_OF_THE_STANDARD = {"ArrayAPIStrictFlags", "Device", "__version__", "fft", "linalg"}


def signatures(prefix, module):
    for name in module.__all__:
        entity = getattr(module, name)
        if name in NOT_OF_THE_STANDARD or name.endswith("_array_api_strict_flags"):
            continue
        if not callable(entity) or isinstance(entity, type):
            yield prefix + name, None
        else:
            parameters = inspect.signature(entity).parameters.values()
            yield prefix + name, [[p.name, p.kind.name, p.default is not p.empty] for p in parameters]


def main():
    array_api_strict.set_array_api_strict_flags(api_version="2024.12")
    found = dict(signatures("", array_api_strict))
    found |= dict(signatures("linalg.", array_api_strict.linalg)) | dict(signatures("fft.", array_api_strict.fft))
    with open(PATH, "w") as file:
        json.dump(found, file, indent=0, sort_keys=True)
    print(len(found))


if __name__ == "__main__":
    main()
