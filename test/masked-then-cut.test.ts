import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { titleOf, titles } from "../src/agent/titles.ts";
import { maskedDeltas } from "../src/agent/masked-deltas.ts";
import type { AuxiliaryCall } from "../src/core/auxiliary.ts";
import { asId } from "../src/core/ids.ts";
import { maskedStream } from "../src/host/sessions/masked-stream.ts";
import { redactor } from "../src/lib/redact/redact.ts";
import { classify } from "../src/models/fault.ts";
import { plainWords } from "../src/runtimes/codex/fault-words.ts";
import { itemOf } from "../src/runtimes/codex/items/item-mapping.ts";
import { nothingSeen, appendSeen, seenText } from "../src/runtimes/codex/items/seen-text.ts";
import { notices } from "../src/runtimes/codex/process/notices.ts";
import { readItem } from "../src/runtimes/codex/wire/item.ts";
import { cappedOutput } from "../src/tools/terminal/capped-output.ts";
import { liveOutput, mostShown } from "../src/tools/terminal/live-output.ts";
import { toolResult } from "../src/tools/mcp/results.ts";
import { readFileTool } from "../src/tools/files/read-file.ts";
import { toolBox } from "../src/tools/registry.ts";
import { searchFilesTool } from "../src/tools/files/search-files.ts";
import { hitLines, messageLines } from "../src/tools/session-text.ts";
import { toolBench } from "../src/tools/tool-bench.suite.ts";
import type { Tool } from "../src/tools/tool.ts";
import { writeFileTool } from "../src/tools/files/write-file.ts";
import { fakeClock } from "./fakes/fake-clock.ts";
import * as fc from "./seeded.ts";
import { ownersTurn } from "./owners-turn.ts";

const known = "Q1w2E3r4-T5y6U7i8-O9p0";
const token = "sk-ZXCVB13579ASDFG24680QWERT";
const manyLines = "{\n KEYONE: QQWWEE,\n KEYTWO: RRTTYY\n}";
const redact = redactor([known, manyLines]);

/** No six characters of a secret are there; fewer say nothing. */
function assertNothingOf(secret: string, shown: string, about: string): void {
  for (let at = 0; at + 6 <= secret.length; at++) {
    const part = secret.slice(at, at + 6);
    assert.ok(!shown.includes(part), `${JSON.stringify(part)} of a secret is shown ${about}`);
  }
}

/** A way on which a text is shortened for somebody: what is shown of it, and where it is cut. */
type Way = {
  readonly cuts: readonly number[];
  /** One line has to hold all of it. */
  readonly oneLine?: true;
  /** Knows no values, only what has the form of a key. */
  readonly forms?: true;
  readonly shown: (text: string) => string | Promise<string>;
};

const length = 80_000;
const longOutput = [12_000, length - 24_000];
const place = { cwd: "/w", mask: redact };
const codexItem = (fields: object): string => {
  const item = itemOf(readItem({ id: "i", ...fields }).body, asId<"itm">("i"), place, "");
  return JSON.stringify(item).replaceAll("\\n", "\n");
};
const mcp = (content: string): object => ({
  type: "mcpToolCall",
  server: "s",
  tool: "t",
  status: "completed",
  result: { content: [{ type: "text", text: content }] },
});

const pieces = (text: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));

const route = { name: "r", protocol: "responses", url: "https://a.example", model: "m", headers: {} };

const ways: Readonly<Record<string, Way>> = {
  "the result of a tool": {
    cuts: [500, length - 500],
    async shown(text) {
      const { z } = await import("zod");
      const tool: Tool = {
        name: "say",
        toolset: "t",
        description: "",
        schema: z.object({}),
        effect: "none",
        timeoutMs: 1000,
        maxOutputChars: 1000,
        run: async () => ({ ok: true, output: text }),
      };
      const turn = {
        session: asId<"ses">("ses_1"),
        turn: asId<"trn">("trn_1"),
        ...ownersTurn,
        cwd: "/w",
        clock: fakeClock(),
      };
      const nobody = { ask: async () => assert.fail("it asked"), inquire: async () => undefined };
      const box = toolBox([tool], { ...turn, ...nobody }, { mask: redact });
      return (await box.call("say", {}, new AbortController().signal)).output;
    },
  },
  "the output of a command": {
    cuts: longOutput,
    shown(text) {
      const output = cappedOutput({ head: 12_000, tail: 24_000 }, redact);
      for (const piece of pieces(text, 4096)) output.add(Buffer.from(piece));
      output.end();
      return output.text();
    },
  },
  "live output": {
    cuts: [50, mostShown],
    shown(text) {
      const told: string[] = [];
      const live = liveOutput((one) => void told.push(one), redact, fakeClock());
      live.add("x".repeat(mostShown - 70_000));
      for (const piece of [text.slice(0, 50), text.slice(50)]) live.add(piece);
      live.end();
      return told.join("").slice(mostShown - 70_000);
    },
  },
  "the output of one's own command": {
    cuts: [100, length - 1000],
    shown(text) {
      const told: string[] = [];
      const stream = maskedStream(redact, 1000, (one) => void told.push(one));
      for (const piece of [text.slice(0, 100), text.slice(100)]) stream.add(Buffer.from(piece));
      return stream.end().output + told.join("");
    },
  },
  "what codex streams": {
    cuts: [100],
    shown(text) {
      const item = asId<"itm">("i");
      const told: string[] = [];
      const live = maskedDeltas(redact, (one) => void told.push(one.text));
      for (const one of [text.slice(0, 100), text.slice(100)])
        live.add({ type: "delta", item, of: "output", text: one });
      live.end(item);
      return told.join("");
    },
  },
  "what came of an item of codex": {
    cuts: [32 * 1024, length - 32 * 1024],
    shown: (text) => seenText(pieces(text, 999).reduce(appendSeen, nothingSeen), redact),
  },
  "a command of codex": {
    cuts: [32 * 1024, length - 32 * 1024],
    shown: (text) =>
      codexItem({ type: "commandExecution", command: "c", status: "completed", aggregatedOutput: text }),
  },
  "a call of an MCP server by codex": { cuts: [2000, length - 2000], shown: (text) => codexItem(mcp(text)) },
  "a note of codex": { cuts: [744, 750, length - 750], shown: (text) => codexItem({ type: "plan", text }) },
  "a change by codex": {
    cuts: [32 * 1024 - 19, length - 32 * 1024],
    oneLine: true,
    shown: (text) =>
      codexItem({
        type: "fileChange",
        status: "completed",
        changes: [{ path: "a", kind: { type: "update" }, diff: text }],
      }),
  },
  "an answer of an MCP server": {
    cuts: [50_000, length + 30_000 - 50_000],
    async shown(text) {
      const source = { server: "s", tool: "t", save: async () => "", mask: redact };
      const content = [{ type: "text", text: `${text}${"x".repeat(30_000)}` }];
      return (await toolResult(source, { result: { content }, remarks: [] })).output;
    },
  },
  "an earlier message": {
    cuts: [300, length - 300],
    shown: (text) => messageLines([row(text)], redact).join("\n"),
  },
  "a snippet of one": {
    cuts: [100, 200],
    shown(text) {
      const turn = asId<"trn">("trn_1");
      const hit = { session: asId<"ses">("ses_1"), turn, seq: 1, role: "user", at: 0 } as const;
      return hitLines({ ...hit, snippet: text.slice(100, 200) }, 1, row(text), redact).join("\n");
    },
  },
  "the words of an error": {
    cuts: [470, 499, 500],
    oneLine: true,
    shown: (text) => {
      const problem = {
        kind: "http",
        status: 400,
        body: JSON.stringify({ error: { message: text } }),
      } as const;
      return classify(problem, { ...route, key: known } as never, 0).fault.message;
    },
  },
  "the words of an error of codex": { cuts: [499, 500], shown: (text) => plainWords(text, redact) },
  "a warning of codex": {
    cuts: [1000],
    forms: true,
    shown(text) {
      const all = notices();
      all.see("configWarning", { summary: text });
      return all.texts.join();
    },
  },
  "what a title is made of": {
    cuts: [600],
    async shown(text) {
      const asked: AuxiliaryCall[] = [];
      const sessions = {
        get: async () => ({}),
        turns: async () => [],
        messages: async () => [row(text)],
        giveTitle: async () => {},
      };
      const auxiliary = async (call: AuxiliaryCall) => (asked.push(call), { unavailable: "no" });
      using made = titles({ store: { sessions }, auxiliary, redact, log: () => {} } as never);
      await made.after(asId<"ses">("ses_1"), Promise.resolve({ outcome: "done" } as never));
      return JSON.stringify(asked).replaceAll("\\\\n", "\n");
    },
  },
  "a title": { cuts: [79, 80], oneLine: true, shown: (text) => titleOf(redact(text)) },
};

const row = (text: string) => ({
  turn: asId<"trn">("trn_1"),
  seq: 1,
  at: 0,
  message: { role: "user" as const, content: text },
  item: asId<"itm">("itm_1"),
});

const secretsFor = ({ oneLine, forms }: Way): readonly string[] => {
  if (forms === true) return [token];
  return oneLine === true ? [known, token] : [known, token, manyLines];
};

/** A text of that length with the secret at that place. */
function holding(secret: string, at: number, size = length): string {
  const before = "x".repeat(Math.max(0, at - 1));
  return `${before} ${secret} `.padEnd(size, "y");
}

describe("a secret that a cut goes through", () => {
  for (const [name, way] of Object.entries(ways))
    test(`is not shown in part: ${name}`, async () => {
      for (const secret of secretsFor(way))
        for (const cut of way.cuts)
          for (let at = Math.max(1, cut - secret.length - 2); at <= cut + 2; at++)
            assertNothingOf(secret, await way.shown(holding(secret, at)), `at ${at}, cut at ${cut}`);
    });

  test("is not shown in part, wherever it stands and however the text comes", () => {
    const some = fc.array(fc.constantFrom(known, token, manyLines, "word ", "\n", "x".repeat(40)), {
      maxLength: 12,
    });
    const sizes = fc.record({
      head: fc.nat({ max: 80 }),
      tail: fc.nat({ max: 80 }),
      size: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(some, sizes, (parts, { head, tail, size }) => {
        const output = cappedOutput({ head, tail }, redact);
        for (const piece of pieces(parts.join(" "), size)) output.add(Buffer.from(piece));
        output.end();
        for (const secret of [known, token, manyLines]) assertNothingOf(secret, output.text(), "in part");
      }),
      { numRuns: 500 },
    );
  });
});

describe("a secret in a file, where the line is cut", () => {
  test("is not shown in part by read_file, search_files and the diff of write_file", async () => {
    await using bench = await toolBench(
      [readFileTool(), searchFilesTool(), writeFileTool] as never,
      undefined,
      redact,
    );
    for (const [at, size] of around(2000, 3000)) {
      await writeFile(join(bench.cwd, "a.txt"), holding(known, at, size));
      assertNothingOf(known, (await bench.call("read_file", { path: "a.txt" })).output, `at ${at}`);
    }
    for (const [at, size] of around(300, 9000)) {
      await writeFile(join(bench.cwd, "a.txt"), holding(known, at, size));
      assertNothingOf(known, (await bench.call("search_files", { pattern: "x" })).output, `at ${at}`);
    }
    for (const [at, size] of around(32 * 1024 - 40, 70_000)) {
      const content = holding(known, at, size);
      const { diff = "" } = await bench.call("write_file", { path: `new-${at}.txt`, content });
      assert.ok(diff.includes("characters left out"));
      assertNothingOf(known, diff, `at ${at}`);
    }
  });
});

const around = (cut: number, size: number): readonly (readonly [at: number, size: number])[] =>
  Array.from({ length: 12 }, (_, step) => [cut - known.length + step * 2, size]);
