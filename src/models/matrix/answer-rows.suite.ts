import { gzipSync } from "node:zlib";
import { good, hang, sse, type Kit } from "./kit.suite.ts";
import { fine, type Row } from "./row.suite.ts";

const nothing = { end: "protocol", says: /returned nothing/, next: /Try again/ } as const;
const unreadable = { end: "protocol", says: /not a model's answer/, next: /providers\.row\.api/ } as const;
const page = "<!doctype html><title>Sign in</title>";
const frames = (kit: Kit): string => kit.open + kit.say("ok") + kit.close();

/** What an answer holds: nothing, garbage, too much, calls in every shape. */
export const answerRows: readonly Row[] = [
  {
    name: "P6 empty, then an answer",
    raw: (kit) => [sse(kit.open, kit.close()), good(kit)],
    want: { ...fine, requests: 2, sameKey: [false] },
  },
  {
    name: "P6 empty for ever",
    raw: (kit) => [sse(kit.open, kit.close())],
    want: { ...nothing, says: /returned nothing.*tried 2 times/, requests: 2 },
  },
  {
    name: "P6 empty by the demo model",
    demo: [[{ empty: true }], [{ text: "ok" }]],
    want: { ...fine, requests: 2 },
  },
  {
    name: "P6 white space only",
    raw: (kit) => [sse(kit.open, kit.say(" \n"), kit.close())],
    want: { ...nothing, requests: 2 },
  },
  {
    name: "P6 white space, then an answer",
    raw: (kit) => [sse(kit.open, kit.say("\n"), kit.close()), good(kit)],
    want: { ...fine, requests: 2 },
  },
  {
    name: "P6 thinking only, then an answer",
    raw: (kit) => [sse(kit.open, kit.think("hm"), kit.close()), good(kit)],
    want: { ...fine, requests: 2 },
  },
  {
    name: "P6 thinking only",
    demo: [[{ reasoning: { summary: "hm" } }], [{ reasoning: { raw: "hm" } }]],
    want: { ...nothing, requests: 2 },
  },
  {
    name: "P6 empty, then cut, then an answer",
    raw: (kit) => [sse(kit.open, kit.close()), { after: "reset" }, good(kit)],
    want: { ...fine, requests: 3, sameKey: [false, true] },
  },
  { name: "P6 an empty body", raw: (kit) => [sse(), good(kit)], want: { ...fine, requests: 2 } },

  { name: "P8 garbage between frames", demo: [[{ malformed: true }, { text: "ok" }]], want: fine },
  {
    name: "P8 garbage only, then an answer",
    raw: (kit) => [sse("data: {oops\n\ndata: [1\n\n"), good(kit)],
    want: { ...fine, requests: 2 },
  },
  {
    name: "P8 garbage only",
    raw: () => [sse("data: {oops\n\n")],
    want: { ...unreadable, requests: 3 },
  },
  { name: "P8 a whole answer", demo: [[{ text: "ok" }, { whole: true }]], want: fine },
  { name: "P8 a whole answer, called a stream", raw: (kit) => [{ body: kit.whole("ok") }], want: fine },
  {
    name: "P8 half a whole answer, then all of it",
    raw: (kit) => [{ body: kit.whole("ok").slice(0, 20), after: "reset" }, { body: kit.whole("ok") }],
    want: { ...fine, requests: 2 },
  },
  {
    name: "P8 a page instead of an answer",
    raw: () => [{ headers: { "content-type": "text/html" }, body: page }],
    want: { ...unreadable, says: /a web page/, requests: 3 },
  },
  {
    name: "P8 a page, then an answer",
    demo: [[{ html: true }], [{ text: "ok" }]],
    want: { ...fine, requests: 2 },
  },
  { name: "P8 JSON of another kind", raw: () => [sse('{"hello":1}')], want: { ...unreadable, requests: 3 } },
  {
    name: "P8 an error as JSON with status 200",
    raw: () => [sse('{"error":{"code":"insufficient_quota","message":"no money"}}')],
    want: { end: "quota", says: /no money/ },
  },
  {
    name: "P8 a gzip bomb",
    raw: () => [{ headers: { "content-encoding": "gzip" }, body: bomb() }],
    want: { end: "protocol", says: /32 MiB/, next: /shorter/ },
  },
  {
    name: "P8 gzip that is none",
    raw: (kit) => [{ headers: { "content-encoding": "gzip" }, body: frames(kit) }, good(kit)],
    want: { ...fine, requests: 2 },
  },
  { name: "P8 CRLF", raw: (kit) => [sse(frames(kit).replaceAll("\n", "\r\n"))], want: fine },
  { name: "P8 CR", raw: (kit) => [sse(frames(kit).replaceAll("\n", "\r"))], want: fine },
  { name: "P8 a byte order mark", raw: (kit) => [sse("\uFEFF", kit.say("ok"), kit.close())], want: fine },
  { name: "P8 NUL and a byte order mark", raw: (kit) => [sse("\uFEFF: \0\n\n", frames(kit))], want: fine },
  {
    name: "P8 a wrong content type",
    raw: (kit) => [{ headers: { "content-type": "text/plain" }, body: frames(kit) }],
    want: fine,
  },
  { name: "P8 no blank line at the end", raw: (kit) => [sse(frames(kit).trimEnd())], want: fine },
  { name: "P8 bytes that are no UTF-8", raw: (kit) => [{ body: withBadBytes(frames(kit)) }], want: fine },

  {
    name: "P9 interleaved calls",
    raw: (kit) => [
      sse(
        kit.open,
        kit.call(0) + kit.call(1),
        kit.args(1, '{"b"') + kit.args(0, '{"a":1}') + kit.args(1, ":2}"),
        kit.close(),
      ),
      good(kit),
    ],
    want: { end: "completed", ran: ['t {"a":1}', 't {"b":2}'] },
  },
  {
    name: "P9 a call said twice",
    raw: (kit) => [sse(kit.open, repeatedCall(kit), kit.close()), good(kit)],
    want: { end: "completed", ran: ["t {}"] },
  },
  {
    name: "P9 text beside a call",
    demo: [[{ text: "I will look" }, { call: { tool: "t", args: {} } }], [{ text: "ok" }]],
    want: { end: "completed", text: "I will look", ran: ["t {}"] },
  },
  {
    name: "P9 arguments that are not JSON",
    demo: [[{ call: { tool: "t", args: "{oops" } }], [{ text: "ok" }]],
    want: { end: "completed", told: /not valid JSON/ },
  },
  {
    name: "P9 a tool that nobody offered",
    demo: [[{ call: { tool: "made_up", args: {} } }], [{ text: "ok" }]],
    want: { end: "completed", told: /no such tool/ },
  },
  {
    name: "P9 free input",
    demo: [[{ custom: { tool: "t", input: "*** go" } }], [{ text: "ok" }]],
    want: { end: "completed", ran: ['t {"input":"*** go"}'] },
  },
  {
    name: "P9 a thousand calls, of which the loop runs a hundred",
    raw: (kit) => [
      sse(kit.open, ...Array.from({ length: 1000 }, (_, n) => kit.callDone(n, `{"n":${n}}`)), kit.close()),
      good(kit),
    ],
    want: { end: "completed", ran: Array.from({ length: 100 }, (_, n) => `t {"n":${n}}`), told: /used up/ },
  },
  {
    name: "P9 two thousand items",
    raw: (kit) => [hang(kit.open, ...Array.from({ length: 2000 }, (_, n) => kit.call(n)))],
    want: { end: "protocol", says: /more than 1000 items/ },
  },
  {
    name: "P9 arguments of 10 MiB, which the loop refuses",
    raw: (kit) => [
      sse(kit.open, kit.callDone(0, JSON.stringify({ x: "y".repeat(10_485_760) })), kit.close()),
      good(kit),
    ],
    want: { end: "completed", told: /was not run: its arguments have 10485768 characters/ },
  },
  {
    name: "P9 announced, never finished, complete: no arguments are an empty object",
    raw: (kit) => [sse(kit.open, kit.call(0), kit.bareClose), good(kit)],
    want: { end: "completed", ran: ["t {}"] },
  },
  {
    name: "P9 half the arguments and then the end",
    raw: (kit) => [sse(kit.open, kit.call(0), kit.args(0, '{"a":'), kit.bareClose), good(kit)],
    want: { ...fine, requests: 2 },
  },
  {
    name: "P9 half the arguments, beside text",
    raw: (kit) => [sse(kit.open, kit.say("Looking"), kit.call(0), kit.args(0, '{"a":'), kit.bareClose)],
    want: { end: "protocol", says: /tool t but did not finish/, text: "Looking" },
  },
  {
    name: "P9 a call without a name",
    raw: (kit) => [sse(kit.open, kit.callDone(0, "{}", ""), kit.close())],
    want: { end: "protocol", says: /\(unnamed\).*was not run/, requests: 3 },
  },

  {
    name: "P10 nonsense in usage",
    raw: (kit) => [
      sse(kit.open, kit.say("ok"), kit.close({ input_tokens: -5, prompt_tokens: -5, output_tokens: "x" })),
    ],
    want: fine,
  },
  {
    name: "P10 odd headers",
    raw: (kit) => [
      {
        headers: {
          date: "Mon, 01 Jan 1990 00:00:00 GMT",
          "x-ratelimit-remaining-tokens": "-1",
          "retry-after": "9",
        },
        body: frames(kit),
      },
    ],
    want: fine,
  },
];

/** 40 MiB of one line, in 40 KiB. */
const bomb = (): Uint8Array => gzipSync(`data: ${"x".repeat(40 * 1024 * 1024)}\n\n`);

const withBadBytes = (text: string): Uint8Array =>
  Buffer.concat([Buffer.from(": "), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from(`\n\n${text}`)]);

/** By Chat Completions a piece with the same id and place would be more of the arguments. */
const repeatedCall = (kit: Kit): string =>
  kit.open.includes("choices") ? kit.callDone(0, "{}") + kit.args(0, "") : kit.callDone(0, "{}").repeat(2);
