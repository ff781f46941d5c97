import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { pageMarkdown } from "./page-markdown.ts";
import { strippedHtml } from "./page-thread.ts";

const base = "https://a.example/docs/page";
const words = "These are enough words for a paragraph, with commas, as articles have them. ".repeat(4);
const article = (inside: string, head = ""): string =>
  `<!doctype html><html><head><title>The title</title>${head}</head><body><nav><a href="/nav">Menu</a></nav>` +
  `<article><h1>The title</h1><p>${words}</p>${inside}<p>${words}</p></article><footer>Imprint</footer></body></html>`;

describe("a page as markdown", () => {
  test("is its article, without what stands around it", async () => {
    const { title, text } = await pageMarkdown(
      article("<h2>Part</h2><ul><li>one</li><li>two</li></ul>"),
      base,
    );
    assert.equal(title, "The title");
    assert.match(text, /## Part\n\n-\s+one\n-\s+two/);
    assert.doesNotMatch(text, /Menu|Imprint/);
  });

  test("has absolute links and pictures, also against the base that it names", async () => {
    const inside =
      '<p><a href="../x?a=1&amp;b=2">link</a> <a href="javascript:steal()">bad</a> <img src="p.png" alt="A [pic]"><img src="data:image/png;base64,AA" alt="data"><img src="q.png"></p>';
    const { text } = await pageMarkdown(article(inside), base);
    assert.match(
      text,
      /\[link\]\(https:\/\/a\.example\/x\?a=1&b=2\) bad !\[A pic\]\(https:\/\/a\.example\/docs\/p\.png\)/,
    );
    assert.doesNotMatch(text, /data:|javascript|q\.png/);
    const based = await pageMarkdown(article(inside, '<base href="https://b.example/c/">'), base);
    assert.match(based.text, /\(https:\/\/b\.example\/x\?a=1&b=2\)/);
  });

  test("keeps tables and code readable", async () => {
    const inside =
      "<table><thead><tr><th>Name</th><th>Value | unit</th></tr></thead><tbody><tr><td>a</td><td><p>1</p><p>m</p></td></tr></tbody></table><pre><code>let a = 1;\n  b();</code></pre>";
    const { text } = await pageMarkdown(article(inside), base);
    assert.match(text, /\| Name \| Value \\\| unit \|\n\| --- \| --- \|\n\| a \| 1 m \|/);
    assert.match(text, /```\nlet a = 1;\n {2}b\(\);\n```/);
  });

  test("is the whole page where there is no article", async () => {
    const { title, text } = await pageMarkdown(
      "<html><head><title>List</title></head><body><a href=/a>A</a> <a href=/b>B</a></body></html>",
      base,
    );
    assert.deepEqual([title, text], ["List", "[A](https://a.example/a) [B](https://a.example/b)"]);
    assert.equal((await pageMarkdown("<p>only a <b>part</b>", base)).text, "only a **part**");
    assert.equal((await pageMarkdown("", base)).text, "");
  });

  for (const html of [
    "<html><title>T</title><body><p>words</body></html>",
    "<title>T</title><p>words",
    "<!doctype html><html><head><title>T</title><body><p>words",
    "<head><title>T</title></head><p>words</p>",
    "<body><title>T</title><p>words</p></body>",
    "<!DOCTYPE html>\n<!-- a --><html lang=en>\n<title>T</title><p>words",
    "<html><head><title>T</title></head><p>words</p></html>",
    "<HTML><HEAD><TITLE>T</TITLE></HEAD><BODY><P>words</P></BODY></HTML>",
  ]) {
    test(`is read from ${JSON.stringify(html)}`, async () => {
      assert.deepEqual(await pageMarkdown(html, base), { title: "T", text: "words" });
    });
  }

  test("does not say what nobody can see", async () => {
    const hidden =
      '<p hidden>secret1</p><p style="display : none">secret2</p><p style="color:red;visibility:hidden">secret3</p><p aria-hidden="true">secret4</p>' +
      '<template>secret5</template><p style="font-size:0">secret6</p><!-- secret7 --><script>secret8</script><style>secret9</style>';
    for (const html of [article(hidden), `<html><body>${hidden}<p>seen</p></body></html>`]) {
      assert.doesNotMatch((await pageMarkdown(html, base)).text, /secret/);
    }
  });

  test("says where it sends browsers, and does not go there", async () => {
    const html =
      '<html><head><meta http-equiv="Refresh" content="0; URL=\'/next\'"></head><body></body></html>';
    assert.equal(
      (await pageMarkdown(html, base)).text,
      "[This page sends browsers on to https://a.example/next]",
    );
  });
});

describe("the bare words of a page", () => {
  test("are found without taking it apart", () => {
    const html =
      "<html><head><title>T &amp; t</title><style>x{}</style></head><body><h1>Head</h1><p>one<b>two</b></p><SCRIPT>no</script >&lt;3<!-- no --></body>";
    assert.deepEqual(strippedHtml(html), { title: "T & t", text: "Head\none\ntwo\n<3" });
  });

  test("are found in one pass, however broken the page is", () => {
    for (const piece of ["<", "<script>", "<!--", "<div", "<style></", "</", "<div>"]) {
      assert.equal(typeof strippedHtml(piece.repeat(500_000)).text, "string");
    }
  });
});
