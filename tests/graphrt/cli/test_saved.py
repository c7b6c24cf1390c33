"""SavedModels on the command line: shown, run on files, and converted; a line for each mistake.

Covers: graphrt/cli/arrays.py, graphrt/cli/convert.py, graphrt/cli/conversions.py, graphrt/cli/run.py, graphrt/cli/show.py.
"""

import io
import json

import numpy as np
import pytest

import graphrt as tf
from graphrt.__main__ import main
from graphrt.graphdef import import_graph_def
from tests import GOLDEN


class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function(input_signature=[
        tf.TensorSpec([None, 2], tf.float32, name="x"), tf.TensorSpec([], tf.int32, name="n"),
    ])  # fmt: skip
    def f(self, x, n):
        for _ in tf.range(n):
            x = x @ self.w
        return {"y": x, "text": tf.strings.as_string(n)}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "scale"
    module = Scale()
    tf.saved_model.save(module, path, signatures={"serving_default": module.f, "other": module.f})
    return str(path)


def told(capsys, *arguments):
    """Exit code, standard output, standard error."""
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


# --- show ------------------------------------------------------------------------------------------------------------
def test_show_prints_what_saved_model_cli_prints(capsys):
    folder = GOLDEN / "saved_model_cli"
    code, out, _ = told(capsys, "show", folder / "model")
    wanted = (folder / "show_all.txt").read_text().replace(", \b\b", "")  # on a terminal that is nothing

    def without_ops(text):
        return [line for line in text.splitlines() if "contains the following ops" not in line]

    assert code == 0
    assert without_ops(out) == without_ops(wanted)
    code, out, _ = told(capsys, "show", folder / "model", "--tag_set", "serve", "--signature_def", "serving_default")
    assert out == (folder / "show_signature.txt").read_text()


def test_mistakes_of_show(capsys, saved, tmp_path):
    assert told(capsys, "show", tmp_path)[0::2] == (
        2, f"graphrt: no SavedModel in {str(tmp_path)!r}: there is no file 'saved_model.pb' in that directory\n"
    )  # fmt: skip
    code, _, err = told(capsys, "show", saved, "--signature_def", "nothing")
    assert (code, err) == (2, f"graphrt: {saved} has no signature 'nothing'; it has other, serving_default\n")
    code, _, err = told(capsys, "show", "a\0b")
    assert (code, err) == (2, "graphrt: 'a\\x00b' is no name of a file: it holds a NUL\n")
    code, _, err = told(capsys, "show", saved, "--tag_set", "gpu")
    assert (code, err) == (2, f"graphrt: {saved} has no graph with the tags 'gpu', but with serve\n")


# --- run -------------------------------------------------------------------------------------------------------------
def test_run_on_npy_npz_and_json(capsys, saved, tmp_path):
    x = np.array([[1, 2], [0, 1]], np.float32)
    wanted = x @ np.array([[1, 2], [3, 4]], np.float32) @ np.array([[1, 2], [3, 4]], np.float32)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "all.npz", x=x, n=np.int32(2))
    (tmp_path / "all.json").write_text(json.dumps({"x": x.tolist(), "n": 2}))
    (tmp_path / "x.json").write_text(json.dumps(x.tolist()))
    forms = [
        ["-i", f"x={tmp_path}/x.npy", "-i", "n=2"], ["-i", f"x={tmp_path}/all.npz", "-i", f"n={tmp_path}/all.npz:n"],
        ["-i", f"{tmp_path}/all.npz"], ["-i", f"{tmp_path}/all.json"], ["-i", f"x={tmp_path}/x.json", "-i", "n=2"],
        ["-i", "x=[[1, 2], [0, 1]]", "-i", "n=2"],
    ]  # fmt: skip
    for form in forms:
        code, out, err = told(capsys, "run", saved, *form)
        assert (code, err) == (0, ""), form
        assert json.loads(out) == {"text": "2", "y": wanted.tolist()}, form
    outputs = [f"y={tmp_path}/y.npy", f"{tmp_path}/out.npz", f"{tmp_path}/out.json"]
    assert told(capsys, "run", saved, *forms[0], *(a for o in outputs for a in ("--output", o))) == (0, "", "")
    assert np.load(tmp_path / "y.npy").tobytes() == wanted.tobytes()
    archive = np.load(tmp_path / "out.npz")
    assert (archive["text"].item(), archive["y"].tolist()) == (b"2", wanted.tolist())
    assert json.loads((tmp_path / "out.json").read_text()) == {"text": "2", "y": wanted.tolist()}


@pytest.mark.parametrize(("given", "message"), [
    (["-i", "x=[[1, 2]]"], "the input 'n' is missing: --input n=FILE"),
    (["-i", "z=[[1, 2]]"], "the input 'z=[[1, 2]]' must be NAME=FILE or NAME=JSON, with a name of n, x"),
    (["-i", "x=[[1, 2]]", "-i", "n=2.5"], "the input 'n' must be int32(): Cannot convert 2.5"),
    (["-i", "x=[[1, 2]", "-i", "n=2"], "cannot read [[1, 2]: the file must end with .npy, .npz or .json"),
    (["-i", "x=none.npy", "-i", "n=2"], "cannot read none.npy: No such file or directory"),
    (["-i", 'x=[["a"]]', "-i", "n=2"], "the input 'x' must be float32(None, 2)"),
    (["-i", "x=[[1, 2, 3]]", "-i", "n=2"], "the input 'x' must be float32(None, 2): it is of shape (1, 3)"),
    (["-i", "x=[1, 2]", "-i", "n=2"], "the input 'x' must be float32(None, 2): it is of shape (2,)"),
    (["-i", "x=[[1, 2]]", "-i", "n=2", "-i", "n=3"], "the input 'n' is given twice"),
    (["-i", "x=[[1, 2]]", "-i", "n=1", "-o", "y=a.npy", "-o", "text=a.npy"], "cannot write a.npy: NAME=FILE.npy"),
    (["-i", "x=[[1, 2]]", "-i", "n=1", "-o", "y=none/a.npy"], "cannot write none/a.npy: there is no directory none"),
    (["-i", "x=" + 5000 * "[", "-i", "n=1"], "the file must end with .npy"),
    (["-i", "x=[[1, 2]]", "-i", "n=1", "-o", "z=a.npy"], "there is no output 'z'; the outputs are text, y"),
    (["-i", "x=[[1, 2]]", "-i", "n=1", "-o", "all.npy"], "cannot write all.npy: NAME=FILE.npy, or a file that ends with"),
    (["-i", "x=[[1, 2]]", "-i", "n=1", "-s", "none"], "has no signature 'none'; it has other, serving_default"),
])  # fmt: skip
def test_mistakes_of_run(capsys, saved, given, message):
    code, out, err = told(capsys, "run", saved, *given)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_pickles_are_refused(capsys, saved, tmp_path):
    np.save(tmp_path / "x.npy", np.array([{}], object), allow_pickle=True)
    code, _, err = told(capsys, "run", saved, "-i", f"x={tmp_path}/x.npy", "-i", "n=1")
    assert code == 2
    assert "x.npy: it holds Python objects, which could run code" in err
    np.savez(tmp_path / "x.npz", x=np.array([{}], object), allow_pickle=True)
    assert told(capsys, "run", saved, "-i", f"x={tmp_path}/x.npz:x", "-i", "n=1")[0] == 2


def whole_npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(("name", "data", "message"), [
    ("x.npy", b"", "it is empty"),
    ("x.npy", b"1.0, 2.0\n", "it is no file of NumPy, which begins with b'\\x93NUMPY' (.npy) or b'PK\\x03\\x04' (.npz): it begins with b'1.0, 2'"),
    ("x.npz", b"\x80\x04K\x01.", "it is no file of NumPy"),
    ("x.npy", whole_npy(np.ones(3))[:-5], "it is damaged ("),
    ("x.npy", whole_npy(np.ones(3))[:20], "it is damaged ("),
    ("x.npz", b"PK\x03\x04 and no more", "it is damaged ("),
    ("x.json", b"{1", "it is no JSON: "),
    ("x.json", b"[" * 200_000, "it is no JSON: lists inside of each other, too deep"),
])  # fmt: skip
def test_nonsense_files_are_told(capsys, saved, tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    code, out, err = told(capsys, "run", saved, "-i", f"x={tmp_path}/{name}", "-i", "n=1")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"cannot read {tmp_path}/{name}: {message}" in err


@pytest.mark.parametrize(("array", "told_of"), [
    (np.array(["1", "2"]), "<U1"), (np.array([(1, 2.0)], [("a", "i4"), ("b", "f4")]), "[('a', '<i4'), ('b', '<f4')]"),
    (np.array(["2020-01-01"], "M8[D]"), "datetime64[D]"), (np.array([[1e300, 1]]), "float64 numbers that are no float32"),
    (np.array([[1j, 1]]), "complex128 numbers that are no float32"),
])  # fmt: skip
def test_what_a_file_holds_must_be_numbers_of_the_type(capsys, saved, tmp_path, array, told_of):
    np.save(tmp_path / "x.npy", array)
    code, _, err = told(capsys, "run", saved, "-i", f"x={tmp_path}/x.npy", "-i", "n=1")
    assert (code, err) == (2, f"graphrt: the input 'x' must be float32(None, 2): the file holds {told_of}\n")


@pytest.mark.parametrize(
    "number", [np.int64(3_000_000_000), np.uint32(2**31), np.float64("nan"), np.float32(0.5), np.float64(1e300)]
)
def test_numbers_that_another_type_does_not_hold_are_told(capsys, saved, tmp_path, number):
    np.save(tmp_path / "n.npy", number)
    code, _, err = told(capsys, "run", saved, "-i", "x=[[1, 2]]", "-i", f"n={tmp_path}/n.npy")
    assert (code, err) == (
        2,
        f"graphrt: the input 'n' must be int32(): the file holds {number.dtype} numbers that are no int32\n",
    )


@pytest.mark.parametrize("array", [
    np.float64([[0.1, np.inf]]), np.int64([[2**53 + 1, 1]]), np.array([[True, False]]), np.array([[1 + 0j, 2]]),
    np.array([[1, 2]], ">f8"), np.float16([[np.nan, 1]]),
])  # fmt: skip
def test_numbers_are_rounded_to_the_type(capsys, saved, tmp_path, array):
    np.save(tmp_path / "x.npy", array)
    path = tmp_path / "y.npy"
    assert told(capsys, "run", saved, "-i", f"x={tmp_path}/x.npy", "-i", "n=0", "-o", f"y={path}") == (0, "", "")
    assert np.load(path).tobytes() == array.real.astype(np.float32).tobytes()


@pytest.mark.parametrize("text", [b"\xef\xbb\xbf[[1, 2]]", "[[1, 2]]".encode("utf-16"), "[[1, 2]]".encode("utf-32-be")])
def test_encodings_of_json(capsys, saved, tmp_path, text):
    (tmp_path / "x ä.json").write_bytes(text)
    code, out, _ = told(capsys, "run", saved, "-i", f"x={tmp_path}/x ä.json", "-i", "n=0")
    assert (code, json.loads(out)["y"]) == (0, [[1, 2]])


def test_archives_without_the_array(capsys, saved, tmp_path):
    np.savez(tmp_path / "none.npz")
    assert "none.npz has no arrays" in told(capsys, "run", saved, "-i", f"x={tmp_path}/none.npz", "-i", "n=1")[2]
    np.savez(tmp_path / "two.npz", a=1, b=2)
    for name, message in (
        ("two.npz", "has several arrays: say which, x="),
        ("two.npz:c", "has no array 'c'; it has a, b"),
    ):
        assert message in told(capsys, "run", saved, "-i", f"x={tmp_path}/{name}", "-i", "n=1")[2]


class Stream:
    """A standard stream of which the bytes are known, or that cannot be written to."""

    def __init__(self, data=b"", error=None):
        self.buffer = io.BytesIO(data)
        self.error = error

    def write(self, text):
        raise self.error


def test_standard_streams(capsys, saved, monkeypatch):
    for given, data in ((["-i", "x=-", "-i", "n=0"], b"[[1, 2]]"), (["-i", "-"], b'{"x": [[1, 2]], "n": 0}')):
        monkeypatch.setattr("sys.stdin", Stream(data))
        code, out, _ = told(capsys, "run", saved, *given, "-o", "y=-")
        assert (code, json.loads(out)) == (0, {"y": [[1, 2]]})
    assert told(capsys, "run", saved, "-i", "x=-", "-i", "n=0")[2].startswith("graphrt: cannot read -: it is no JSON")
    monkeypatch.setattr("sys.stdin", None)
    assert told(capsys, "run", saved, "-i", "x=-")[2] == "graphrt: cannot read -: there is no standard input\n"


@pytest.mark.parametrize("command", [["show"], ["run", "-i", "x=[[1, 2]]", "-i", "n=0"]])
def test_a_standard_output_that_cannot_be_written_to(capsys, saved, monkeypatch, command):
    asked = [command[0], saved, *command[1:]]
    monkeypatch.setattr("sys.stdout", Stream(error=OSError(28, "No space left on device")))
    assert main(asked) == 2
    monkeypatch.setattr("sys.stdout", None)
    assert main(asked) == 2
    monkeypatch.undo()
    assert capsys.readouterr().err.splitlines() == [
        "graphrt: cannot write to standard output: No space left on device", "graphrt: cannot write: there is no standard output",
    ]  # fmt: skip


class Kinds(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([2], name="x")])
    def f(self, x):
        return {"half": tf.cast(x, tf.bfloat16), "pair": tf.complex(x, x), "same": x}


def test_outputs_of_other_kinds(capsys, tmp_path):
    module, folder = Kinds(), tmp_path / "ä model"
    tf.saved_model.save(module, folder, signatures=module.f)
    given = ["run", folder, "-i", "x=[1, 0.1]"]
    old = tmp_path / "pair.json"
    old.write_text("old")
    for outputs in ([], ["-o", f"pair={old}"], ["-o", "same=-", "-o", "-"]):
        code, out, err = told(capsys, *given, *outputs)
        assert (code, out) == (2, "")
        assert (
            err
            == "graphrt: the output 'pair' is of complex numbers, which JSON does not have: --output pair=FILE.npy\n"
        )
    assert old.read_text() == "old"
    assert told(capsys, *given, "-o", f"{tmp_path}/all.npz") == (0, "", "")
    found = np.load(tmp_path / "all.npz")
    assert found["half"].tolist() == [1, 0.10009765625] and found["half"].dtype == np.float32
    assert found["pair"].tolist() == (found["same"] * (1 + 1j)).tolist()


class Texts(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="s")])
    def f(self, s):
        return {"twice": s + s}


def test_strings_go_in_and_out(capsys, tmp_path):
    module = Texts()
    tf.saved_model.save(module, tmp_path / "texts", signatures=module.f)
    np.save(tmp_path / "s.npy", np.array(["ä", "b"]))
    code, out, _ = told(capsys, "run", tmp_path / "texts", "-i", f"s={tmp_path}/s.npy")
    assert (code, json.loads(out)) == (0, {"twice": ["ää", "bb"]})
    code, out, _ = told(capsys, "run", tmp_path / "texts", "-i", 's=["x", {"b64": "/wA="}]')
    assert (code, json.loads(out)) == (0, {"twice": ["xx", {"b64": "/wD/AA=="}]})
    code, _, err = told(capsys, "run", tmp_path / "texts", "-i", 's=[{"b64": "/wA="}]', "-o", f"twice={tmp_path}/t.npy")
    assert code == 2
    assert "end with zeros" in err


# --- convert ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["frozen", "pbtxt"])
def test_convert_to_a_graph_def(capsys, saved, tmp_path, form):
    path = tmp_path / "out"
    code, out, err = told(capsys, "convert", saved, "--to", form, "-o", path)
    assert (code, out, err) == (0, "", f"{path}\n")
    graph = import_graph_def(path.read_bytes() if form == "frozen" else path.read_text())
    assert [v.node.name for v in graph.inputs] == ["n", "x"]
    assert not any(v.dtype is tf.resource for n in graph.nodes for v in n.outputs)


def test_convert_to_a_program(capsys, saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = told(capsys, "convert", saved, "--to", "program")
    assert (code, err) == (0, "scale.py\n")
    namespace = {}
    exec((tmp_path / "scale.py").read_text(), namespace)
    assert namespace["serving_default"](n=1, x=[[1.0, 1.0]])["y"].tolist() == [[4.0, 6.0]]


def test_mistakes_of_convert(capsys, saved, tmp_path):
    assert told(capsys, "convert", saved, "--to", "nothing")[0] == 2
    code, _, err = told(capsys, "convert", saved, "--to", "frozen", "-o", tmp_path / "no" / "a.pb")
    assert (code, err.startswith("graphrt: cannot write")) == (2, True)
    for name in ("", "-", f"{tmp_path}/"):
        code, _, err = told(capsys, "convert", saved, "--to", "frozen", "-o", name)
        assert (code, err) == (2, f"graphrt: cannot write {name!r}: -o is the name of a file\n")
    code, _, err = told(capsys, "convert", tmp_path, "--to", "frozen")
    assert (code, "no SavedModel" in err) == (2, True)


def test_what_cannot_be_converted_is_told(capsys, tmp_path):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.n = tf.Variable(0)

        @tf.function(input_signature=[])
        def step(self):
            return {"n": self.n.assign_add(1)}

    module = Counter()
    tf.saved_model.save(module, tmp_path / "counter", signatures=module.step)
    code, _, err = told(capsys, "convert", tmp_path / "counter", "--to", "frozen", "-o", tmp_path / "a.pb")
    assert code == 2
    assert "only reading can be frozen" in err
    assert not (tmp_path / "a.pb").exists()
