"""docs/adding_a_converter.md: the file of the page and its line in `PIPELINE` are a converter, with golden cases."""

from tests.docs import fresh

CASES = """[case among_constants]
[in]
def f(x):
    y = x in (1, 2)
[out]
@ag__.autograph_artifact
def f(x):
    with ag__.FunctionScope('f', 'fscope', ag__.STD) as fscope:
        y = x == 1 or x == 2

[case among_names_it_stays]
[in]
def f(x, y):
    y = x in (1, y)
[out]
@ag__.autograph_artifact
def f(x, y):
    with ag__.FunctionScope('f', 'fscope', ag__.STD) as fscope:
        y = x in (1, y)
"""

PROGRAM = """
import autograph
import graphrt as tf
from autograph.converters import stage_names

def small(x):
    if x in (1, 2):
        return x * 10
    return x

print("memberships" in stage_names(), stage_names().index("memberships") < stage_names().index("logical_expressions"))
print([autograph.convert()(small)(v) for v in (1, 2, 3, None, "a")] == [small(v) for v in (1, 2, 3, None, "a")])
print([tf.function(small)(tf.constant(v)).numpy().item() for v in (1, 2, 3)])
print("ag__.or_" in autograph.to_code(small))

def fails(x):
    return x in (1, "a")

class Odd:
    def __eq__(self, other):
        raise ValueError(f"compared with {other}")

try:
    autograph.convert()(fails)(Odd())
except ValueError as error:
    print(error, error.__traceback__.tb_next is not None)
"""


def test_a_file_and_its_line_are_a_converter(tmp_path):
    packages = fresh.Packages(tmp_path)
    packages.write("autograph/converters/memberships.py", fresh.blocks("adding_a_converter.md")[0])
    (line,) = fresh.blocks("adding_a_converter.md", "py")
    table = "autograph/converters/__init__.py"
    at = "    LogicalExpressions,\n    Variables,"
    packages.edit(table, at, f"{line}{at}")
    text = (tmp_path / table).read_text()
    imported = "from autograph.converters.memberships import Memberships\n"
    (tmp_path / table).write_text(
        text.replace("from autograph.converters.stays", f"{imported}from autograph.converters.stays")
    )
    assert packages.run(PROGRAM).splitlines() == ["True True", "True", "[10, 20, 3]", "True", "compared with 1 True"]
    (tmp_path / "memberships.txt").write_text(CASES)
    golden = f"""
import pathlib, sys
sys.path.append({str(fresh.ROOT)!r})
from tests.autograph.converters import golden
path = pathlib.Path("memberships.txt")
for name, text, wanted in golden.cases(path):
    print(name, golden.converted(path, text) == wanted or repr(golden.converted(path, text)))
"""
    assert packages.run(golden).splitlines() == ["among_constants True", "among_names_it_stays True"]
