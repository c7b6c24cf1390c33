"""Takes the picture of `docs/gallery/README.md` and of the README in a browser: run `python -m tests.gallery_picture`."""

import tempfile

import graphrt as tf
from tests import gallery_page
from tests.graphrt.viewing.browser import Browser

if __name__ == "__main__":
    function, args = gallery_page.run(gallery_page.FOLDER / "collatz.py")["SHOWN"]
    with tempfile.TemporaryDirectory() as folder, Browser(width=1720, height=780) as browser:
        file = f"{folder}/page.html"
        page = tf.view(function, *args, run=True, path=file)
        browser.open(file)
        chosen = next(f["at"] for f in page.story.stages[0]["set"] if f["op"] == "FloorMod")
        browser.ask(f"graphrtPage.choose('at', {chosen}, null)")
        browser.ask("new Promise((done) => setTimeout(done, 300))")
        browser.picture(gallery_page.FOLDER / "view.webp", kind="webp", quality=82)
