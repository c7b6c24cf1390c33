"""What holds for all tests: a run of the whole suite fails when a public function or method was never called."""

import gc
import pathlib
import signal

import pytest

from tests import called_names, whole

HERE = pathlib.Path(__file__).parent

RECORD = pytest.StashKey()
CALLED = pytest.StashKey()
NEVER_CALLED = pytest.StashKey()
_NARROWED = ("keyword", "markexpr", "lf", "deselect", "ignore", "ignore_glob", "maxfail", "collectonly")


def pytest_addoption(parser):
    parser.addoption("--never-called", action="store_true", help="list the public names that no test called")
    parser.addoption("--whole", action="store_true", help="run all cases of long rows, of which the suite runs a part")


def pytest_configure(config):
    whole.ask(config.getoption("whole"))
    config.stash[RECORD] = called_names.start()
    config.stash[CALLED] = set()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as shells start what runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """What collecting makes stays until the end: the collector of garbage need not look at it again and again.

    Nor has it to look as often as in programs that must not grow: that took a tenth of the time of all tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)
        gc.enable()


@pytest.fixture(scope="module")
def new_garbage_only():
    """The collector of garbage does not go through what all files before this one have left, each time it is asked."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def new_garbage_only_where_it_is_collected(request):
    """The same for each file that asks for the collector itself."""
    if hasattr(request.module, "gc"):
        request.getfixturevalue("new_garbage_only")


def pytest_collection_modifyitems(config, items):
    left_out = [] if config.getoption("whole") else [item for item in items if item.get_closest_marker("whole")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("whole")]


def _is_whole(config):
    """Whether all tests were asked for."""
    asked = [pathlib.Path(a).resolve() for a in config.args]
    return asked == [HERE] and not any(config.getoption(n, None) for n in _NARROWED)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    node.config.stash[CALLED].update(getattr(node, "workeroutput", {}).get("called", ()))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    config = session.config
    if not _is_whole(config):
        return
    output = getattr(config, "workeroutput", None)
    if output is not None:  # one of several processes: the first one puts together what all of them called
        output["called"] = called_names.called(config.stash[RECORD])
        return
    config.stash[CALLED].update(called_names.called(config.stash[RECORD]))
    missing = sorted(set(called_names.bodies()) - config.stash[CALLED])
    if len(missing) > called_names.MOST_NEVER_CALLED and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    config.stash[NEVER_CALLED] = missing


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    missing = config.stash.get(NEVER_CALLED, [])
    if len(missing) > called_names.MOST_NEVER_CALLED or config.getoption("never_called"):
        terminalreporter.section(f"{len(missing)} public names that no test called")
        for path in missing:
            terminalreporter.write_line(path)
