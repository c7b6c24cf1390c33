"""Texts as notebooks show them."""

from graphrt.ir.html import folded


def test_text_stays_text():
    found = folded("<lambda>", {"one": "a < b & c", "two": "</pre>"})
    assert found.startswith("<div><b>&lt;lambda&gt;</b><details open><summary>one</summary><pre>a &lt; b &amp; c</pre>")
    assert found.count("<details>") == 1 and "&lt;/pre&gt;" in found
