import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { fakeClock } from "../../test/fakes/fake-clock.ts";
import { asId } from "../core/ids.ts";
import { namesFound } from "./found-tools.ts";
import { toolBox } from "./registry.ts";
import type { Tool, ToolBox } from "./tool.ts";
import { ownersTurn } from "../../test/owners-turn.ts";

const tool = (name: string, toolset: string, description: string, more: Partial<Tool> = {}): Tool => ({
  name,
  toolset,
  description,
  schema: z.object({ url: z.string().describe("Where") }) as unknown as Tool["schema"],
  deferred: true,
  effect: "none",
  timeoutMs: 1000,
  maxOutputChars: 1000,
  run: async () => ({ ok: true, output: `${name} ran` }),
  ...more,
});

const read = tool("read_file", "file", "Reads a file.", { deferred: false });
const all: readonly Tool[] = [
  read,
  tool("text_to_speech", "tts", "Speaks a text into a sound file."),
  tool("browser_navigate", "browser", "Opens a page in a browser."),
  tool("browser_back", "browser", "Goes back to the page before."),
  tool("image_generate", "image_gen", "Makes a picture from a description."),
];

const boxOf = (tools: readonly Tool[]): ToolBox =>
  toolBox(tools, {
    session: asId<"ses">("ses_1"),
    turn: asId<"trn">("trn_1"),
    ...ownersTurn,
    cwd: "/",
    clock: fakeClock(),
    ask: async () => ({ choice: "deny", why: "not_asked" }),
    inquire: async () => undefined,
  });

const search = async (query: string, more: object = {}, tools = all) =>
  boxOf(tools).call("tool_search", { query, ...more }, new AbortController().signal);

describe("a box with deferred tools", () => {
  test("has all of them, and one to find them by", async () => {
    const box = boxOf(all);
    assert.deepEqual(
      box.specs.map(({ name, deferred }) => [name, deferred]),
      [...all.map(({ name, deferred }) => [name, deferred]), ["tool_search", false]],
    );
    assert.match(box.specs.at(-1)?.description ?? "", /for: browser, image_gen, tts\./);
    assert.equal(box.enabled.includes("tool_search"), false);
    const { signal } = new AbortController();
    const unseen = await box.call("text_to_speech", { url: "x" }, signal);
    assert.equal(unseen.output, "text_to_speech ran");
  });

  test("has none to find what is not there", async () => {
    assert.deepEqual(
      boxOf([read]).specs.map(({ name }) => name),
      ["read_file"],
    );
    const missing = all.map((each) => ({ ...each, unavailable: () => "no browser here" }));
    assert.deepEqual([boxOf(missing).specs, boxOf(missing).enabled.length], [[], 5]);
    assert.match((await search("browser", {}, [read])).output, /^There is no tool "tool_search"/);
  });
});

const found = async (query: string, more: object = {}): Promise<unknown> => (await search(query, more)).found;

describe("a search", () => {
  test("gives name, description and schema, and says which tools it gave", async () => {
    const { ok, output, found: names } = await search("speak this");
    assert.equal(ok, true);
    assert.deepEqual(names, ["text_to_speech"]);
    assert.equal(
      output,
      '## text_to_speech\nSpeaks a text into a sound file.\nArguments: {"properties":{"url":{"description":"Where","type":"string"}},"required":["url"],"type":"object"}',
    );
  });

  test("goes by words of name, set and description, the name first", async () => {
    assert.deepEqual(await found("open a page"), ["browser_navigate", "browser_back"]);
    assert.deepEqual(await found("BROWSER"), ["browser_back", "browser_navigate"]);
    assert.deepEqual(await found("pictures"), ["image_generate"]);
    assert.deepEqual(await found("tts"), ["text_to_speech"]);
    assert.deepEqual(await found("browser_navigate"), ["browser_navigate", "browser_back"]);
    assert.deepEqual(await found("browser", { limit: 1 }), ["browser_back"]);
    assert.deepEqual(await found("read_file"), ["text_to_speech"], "what is shown is not searched for");
  });

  test("gives the same in the same order, however the tools stand", async () => {
    const turned = await search("page picture sound", {}, all.toReversed());
    assert.deepEqual(turned, await search("page picture sound"));
    assert.equal(turned.found?.length, 4);
  });

  test("that finds nothing lists the names by set", async () => {
    for (const query of ["submarine", "the", "!"]) {
      const { ok, output, found: names } = await search(query);
      assert.deepEqual([ok, names], [true, undefined]);
      assert.deepEqual(output.split("\n").slice(1), [
        "browser: browser_back, browser_navigate",
        "image_gen: image_generate",
        "tts: text_to_speech",
      ]);
    }
  });

  test("can be read back from what a history keeps of it", async () => {
    const { output, found: names } = await search("page sound");
    assert.deepEqual(namesFound(output), names);
    assert.deepEqual(namesFound((await search("submarine")).output), []);
  });
});
