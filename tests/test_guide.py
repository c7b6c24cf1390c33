"""The pages of docs/guide print what they say they print."""

import pytest

from tests import guide_outputs


@pytest.mark.parametrize("page", guide_outputs.PAGES, ids=lambda page: page.stem)
def test_page_shows_what_its_code_prints(page):
    assert page.read_text() == guide_outputs.build(page), "run python -m tests.guide_outputs"


def test_there_are_pages_with_outputs():
    assert len(guide_outputs.PAGES) >= 2
    for page in guide_outputs.PAGES:
        assert sum(bool(m["output"]) for m in guide_outputs.BLOCK.finditer(page.read_text())) >= 10
