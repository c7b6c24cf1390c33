"""Keeps some of the files that `python -m tests.from_tensorflow FOLDER --tensorflow PYTHON` let TensorFlow write.

python -m tests.golden.record_from_tensorflow FOLDER

What FOLDER does not hold stays as it was recorded before.
"""

import base64
import io
import json
import pathlib
import sys
import zipfile

OUT = pathlib.Path(__file__).parent / "from_tensorflow.json"
KEPT = """
    frozen-gru frozen-masked_lstm v1-frozen_cond v1-frozen_while v1-frozen_rnn v1-frozen_mlp
    graph-sparse graph-batch_norm graph-segments graph-products graph-losses graph-datasets graph-tables graph-sorting
    graph-while_with_branches graph-arrays graph-calls graph-ragged graph-ragged_map graph-random graph-gradient_of_a_loop
    saved-several_signatures saved-nested_arguments saved-composites saved-control_flow
    saved-custom_gradient saved-captured_gradients saved-keras_text saved-keras_exported saved-structures_of_parts saved-functions_as_objects
    checkpoint-optimizer_adam checkpoint-structures checkpoint-generator checkpoint-iterator_shuffle v1-checkpoint_of_saver
    v1-saved_simple v1-saved_by_builder v1-saved_counter v1-saved_branch_that_assigns v1-saved_names v1-saved_sparse
    v1-saved_ragged v1-saved_partitioned v1-saved_flow_v1 v1-saved_examples v1-saved_local_state v1-saved_with_tags
""".split()


def packed(folder):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name != "words.txt" or path.parent.name == "assets":
                archive.writestr(
                    zipfile.ZipInfo(str(path.relative_to(folder))), path.read_bytes(), zipfile.ZIP_DEFLATED
                )
    return base64.b64encode(data.getvalue()).decode()


def main():
    root = pathlib.Path(sys.argv[1])
    held = json.loads(OUT.read_text()) if OUT.exists() else {}
    there = {name: packed(root / name) if (root / name).is_dir() else held[name] for name in KEPT}
    OUT.write_text(json.dumps(there, indent=0) + "\n")


if __name__ == "__main__":
    main()
