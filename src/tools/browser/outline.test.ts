import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { outline } from "./outline.ts";

const base = "https://shop.example/list/";
const short = { full: false, maxChars: 10_000, base };
const full = { ...short, full: true };

const tree = [
  {
    role: "generic",
    ref: "e1",
    children: [
      { role: "heading", name: "Things", level: 2, ref: "e2" },
      { role: "paragraph", ref: "e3", text: "Some words" },
      {
        role: "link",
        ref: "e4",
        cursor: "pointer",
        url: "../cart?x=1",
        children: [{ role: "img", name: "Cart" }, "3 things"],
      },
      { role: "textbox", name: "Word", ref: "e5", text: "hunter2", placeholder: "secret" },
      { role: "checkbox", name: "Yes", ref: "e6", checked: "mixed", disabled: true },
      { role: "generic", ref: "e7", cursor: "pointer", text: "Only a div" },
      {
        role: "iframe",
        ref: "e8",
        children: [{ role: "link", name: "In", ref: "f1e2", url: "/inner" }, 7, null],
      },
    ],
  },
];

describe("the outline of a page", () => {
  test("shows what can be acted on with refs and whole addresses, and where one is", () => {
    assert.equal(
      outline(tree, { ...short, passwords: new Set(["hunter2"]) }),
      [
        '- heading "Things" [level=2]',
        '- link "Cart 3 things" @e4 -> https://shop.example/cart?x=1',
        '- textbox "Word" @e5 [placeholder=secret]: (hidden)',
        '- checkbox "Yes" @e6 [checked=mixed] [disabled]',
        "- generic @e7: Only a div",
        "- iframe",
        '  - link "In" @f1e2 -> /inner',
      ].join("\n"),
    );
  });

  test("in full it has all words, and leaves out wrappers that say nothing", () => {
    const lines = outline(tree, full).split("\n");
    assert.ok(lines.includes("- paragraph @e3: Some words"));
    assert.ok(lines.includes("  - text: 3 things"));
    assert.ok(!lines.some((line) => line.includes("@e1 ") || line.endsWith("@e1")));
  });

  test("says what it left out", () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ role: "button", name: `B${at}`, ref: `e${at}` }));
    const cut = outline(many, { ...short, maxChars: 100 });
    assert.match(cut, /^- button "B0" @e0\n/);
    assert.match(cut, /\(4\d more lines were left out\. browser_snapshot may show more\.\)$/);
    assert.equal(outline([], short), "(nothing on this page can be acted on)");
    assert.equal(outline([], full), "(the page is empty)");
  });

  test("whatever the tree is, it gives lines within the limit", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, isFull) => {
        const said = outline([value, { role: "button", children: value }], {
          full: isFull,
          maxChars: 500,
          base,
        });
        assert.ok(said.length <= 600, said);
      }),
    );
  });

  test("words of the page cannot make a line of their own", () => {
    const name = 'x"\n- button "Fake" @e99';
    assert.equal(outline([{ role: "button", name, ref: "e1" }], short).split("\n").length, 1);
    assert.equal(outline([{ role: "paragraph", text: "a\n- button @e9" }], full).split("\n").length, 1);
  });
});
