"""LLVM's linker by llvmlite's library alone: its functions are what llvmlite says that they are."""

import pytest

from graphrt.native import linker

llvmlite = pytest.importorskip("llvmlite.binding")


@pytest.fixture
def unknown(monkeypatch):
    """A version of llvmlite that nobody has seen yet."""
    monkeypatch.setattr(linker, "_KNOWN", ())
    linker._functions.cache_clear()
    yield monkeypatch
    linker._functions.cache_clear()


def test_functions_are_as_llvmlite_declares_them():
    import llvmlite as installed

    assert linker.as_declared()
    assert int(installed.__version__.split(".")[1]) in linker._KNOWN


def test_an_unknown_version_is_asked(unknown):
    assert linker.is_there()
    linker.add_symbol("graphrt_test_a", 16)
    assert linker.knows("graphrt_test_a") and llvmlite.address_of_symbol("graphrt_test_a") == 16


@pytest.mark.parametrize("changed", [(None, ()), (None, (linker.c_char_p, linker.c_int))])
def test_where_functions_are_others_llvmlite_itself_is_called(unknown, changed):
    unknown.setitem(linker.FUNCTIONS, "AddSymbol", changed)
    assert not linker.is_there()
    linker.add_symbol("graphrt_test_b", 32)
    assert llvmlite.address_of_symbol("graphrt_test_b") == 32


def test_what_is_no_machine_code_makes_an_engine_of_nothing():
    engine = linker.Engine()
    assert engine.function("nobody") == 0
    assert linker.knows("PyTuple_New") and not linker.knows("graphrt_nobody")
    with pytest.raises(OSError, match="GetTargetFromTriple"):
        linker._made("GetTargetFromTriple", b"no-such-processor")


def test_the_processor_is_described():
    assert llvmlite.get_host_cpu_name() in linker.description()
