import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Message } from "../../core/messages.ts";
import { delimited } from "../../core/text/delimited.ts";
import { addressKey, knownAddresses } from "./known-addresses.ts";

const said = (content: string): Message => ({ role: "user", content });

const called = (name: string, output: string): readonly Message[] => [
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name, arguments: "{}" }] },
  { role: "tool", toolCallId: "c1", content: output },
];

const knows = (messages: readonly Message[], url: string, person = true): boolean =>
  knownAddresses(messages, { person }).has(addressKey(url) ?? "none");

describe("an address is known", () => {
  const written: readonly (readonly [text: string, url: string])[] = [
    ["see https://a.example/x?y=1", "https://a.example/x?y=1"],
    ["see https://a.example/x.", "https://a.example/x"],
    ["(https://a.example/x), please", "https://a.example/x"],
    ["[words](https://a.example/x_(y)) more", "https://a.example/x_(y)"],
    ["[words](https://a.example/x).", "https://a.example/x"],
    ["“https://a.example/x”", "https://a.example/x"],
    ["<https://a.example/x>", "https://a.example/x"],
    ["**https://a.example/x**", "https://a.example/x"],
    ["HTTPS://A.Example:443/x", "https://a.example/x"],
    ["https://a.example", "https://a.example/"],
    ["https://a.example/x/", "http://a.example/x#part"],
    ["https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"],
    ["https://a.example/x\\_y\\_z", "https://a.example/x_y_z"],
    ["https://a.example/?a=1&amp;b=2", "https://a.example/?a=1&b=2"],
    ["what does a.example/docs?q=1 say", "https://a.example/docs?q=1"],
    ["look at sub.a.example.", "https://sub.a.example/"],
    ["https://a.example/a,https://b.example/b", "https://b.example/b"],
    ["地址：https://a.example/x。", "https://a.example/x"],
  ];
  for (const [text, url] of written) {
    test(`when the person wrote ${text}`, () => {
      assert.ok(knows([said(text)], url));
    });
  }

  test("when it stood in a search or on a page", () => {
    for (const tool of ["web_search", "web_extract", "browser_navigate", "browser_get_images"]) {
      assert.ok(
        knows(called(tool, delimited("a", "1. T\n   https://a.example/x")), "https://a.example/x"),
        tool,
      );
    }
  });

  test("when it was written beside a picture", () => {
    const image = { type: "image", name: "p.png", mediaType: "image/png", base64: "" } as const;
    const content = [{ type: "text", text: "https://a.example/x" }, image] as const;
    assert.ok(knows([{ role: "user", content }], "https://a.example/x"));
  });
});

describe("an address is not known", () => {
  test("when it differs in the least", () => {
    const messages = [said("https://a.example/x?y=1 and b.example")];
    for (const url of [
      "https://a.example/x?y=12",
      "https://a.example/x?y=",
      "https://a.example/x?y=1&z=2",
      "https://a.example/x/y=1",
      "https://a.example/",
      "https://a.example:8443/x?y=1",
      "https://z.a.example/x?y=1",
      "https://b.example/?q=secret",
      "https://b.example.evil.example/",
      "ftp://a.example/x?y=1",
    ]) {
      assert.ok(!knows(messages, url), url);
    }
  });

  test("when only the model wrote it", () => {
    const messages: readonly Message[] = [
      { role: "assistant", content: "https://a.example/x", reasoning: "https://a.example/x" },
    ];
    assert.ok(!knows(messages, "https://a.example/x"));
  });

  test("when it stood in what another tool gave", () => {
    for (const tool of [
      "terminal",
      "read_file",
      "mcp__web_search",
      "web_searches",
      "browser_",
      "session_search",
      "Web_search",
    ]) {
      assert.ok(!knows(called(tool, delimited("a", "https://a.example/x")), "https://a.example/x"), tool);
    }
    assert.ok(
      !knows(
        [{ role: "tool", toolCallId: "nobody", content: delimited("a", "https://a.example/x") }],
        "https://a.example/x",
      ),
    );
  });

  test("when a web tool only repeats what it was asked for", () => {
    const output = `https://a.example/?d=1 was not read: it could not be reached.\n${delimited("https://a.example/?d=2", "page")}`;
    for (const url of ["https://a.example/?d=1", "https://a.example/?d=2"]) {
      assert.ok(!knows(called("web_extract", output), url), url);
    }
  });

  test("when it stands in a user's message that no person wrote", () => {
    assert.ok(!knows([said("https://a.example/x")], "https://a.example/x", false));
  });
});

test("a long message without an address costs no time worth speaking of", () => {
  const text = `${"a.".repeat(200_000)} ${"https://".repeat(20_000)} ${"x".repeat(500_000)}`;
  assert.ok(!knows([said(text)], "https://a.example/"));
});
