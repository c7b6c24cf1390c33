"""Records what Keras tells in `get_config`: `python -m tests.golden.record_configurations`, with tensorflow-cpu 2.20.0."""

import json
import pathlib

import keras

from tests.golden import configuration_cases as cases

PATH = pathlib.Path(__file__).with_name("configurations.json")

if __name__ == "__main__":
    found = {
        room: {call: cases.plain(cases.made(keras, room, call).get_config()) for call in cases.calls(room)}
        for room in cases.CALLS
    }
    lines = [
        f"{json.dumps(room)}: {{\n"
        + ",\n".join(f"{json.dumps(c)}: {json.dumps(v, sort_keys=True)}" for c, v in told.items())
        + "\n}"
        for room, told in found.items()
    ]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
