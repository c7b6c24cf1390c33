"""Each program of the gallery runs, draws what its picture shows, and can be looked at."""

import pytest

import graphrt as tf
from tests import gallery_page

VIEWED = ("lorenz", "hamiltonian", "heat", "beam_search")


@pytest.mark.parametrize("path", gallery_page.programs(), ids=lambda path: path.stem)
def test_a_program_draws_its_picture(path):
    found = gallery_page.run(path)
    assert gallery_page.same(path.with_suffix(".svg").read_text(), found["main"]()), (
        "another picture: run `python -m tests.gallery_page` and look at it"
    )
    if path.stem in VIEWED:
        function, args = found["SHOWN"]
        page = tf.view(function, *args, path=None)
        assert page.story.blocks and page.story.spans and len(page.html) < 1.5e6


def test_the_page_shows_all_of_them():
    assert (gallery_page.FOLDER / "README.md").read_text() == gallery_page.page()
    assert len(gallery_page.programs()) >= 20
    assert (gallery_page.FOLDER / "view.webp").stat().st_size < 150_000


def test_pictures_are_compared():
    assert gallery_page.same('<a x="1 2"/>', '<a x="1 3"/>') and not gallery_page.same('<a x="1"/>', '<a x="9"/>')
    assert not gallery_page.same('<a x="1"/>', '<b x="1"/>')
