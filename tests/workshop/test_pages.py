"""Reports as HTML."""

from treewright.workshop.pages import to_html

TEXT = """# A <report>

**Simulated.**

| test | p |
|---|---|
| a & b | < 0.001 |

![How it *went*](odds.png)

*A caption.* <script>alert(1)</script>
"""


def test_a_report_is_one_file_with_its_pictures_inside():
    page = to_html(TEXT, {"odds.png": b"png"}, "A <title>")
    assert "<title>A &lt;title&gt;</title>" in page
    assert "<h1>A &lt;report&gt;</h1>" in page
    assert "<p><strong>Simulated.</strong></p>" in page
    assert "<th>test</th>" in page
    assert "<td>a &amp; b</td>" in page
    assert "<td>&lt; 0.001</td>" in page
    assert 'src="data:image/png;base64,cG5n"' in page
    assert 'alt="How it went"' in page
    assert "<em>A caption.</em>" in page
    assert "<script>" not in page
