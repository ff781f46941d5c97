import { cut, good, hang, sse } from "./kit.suite.ts";
import { fine, type Row } from "./row.suite.ts";

const retried = { ...fine, requests: 2, sameKey: [true] } as const;
const half = { end: "network", says: /before the answer was complete/, next: /Check the network/ } as const;

/** How an answer travels: broken connections, silence, first frames and last ones. */
export const streamRows: readonly Row[] = [
  { name: "P4 cut before a frame", raw: (kit) => [cut(), good(kit)], want: retried },
  { name: "P4 cut after the first frame", raw: (kit) => [cut(kit.open), good(kit)], want: retried },
  {
    name: "P4 cut twice: the third request asks for no stream",
    raw: (kit) => [cut(kit.open), cut(kit.open), { body: kit.whole("ok") }],
    want: { ...fine, requests: 3, sameKey: [true, false], whole: true },
  },
  {
    name: "P4 cut twice: a server that streams all the same",
    raw: (kit) => [cut(kit.open), cut(kit.open), good(kit)],
    want: { ...fine, requests: 3, whole: true },
  },
  {
    name: "P4 cut for ever",
    raw: (kit) => [cut(kit.open)],
    want: { ...half, says: /tried 3 times/, requests: 3, whole: true },
  },
  {
    name: "P4 cut after text",
    raw: (kit) => [cut(kit.open, kit.say("half an"))],
    want: { ...half, text: "half an" },
  },
  {
    name: "P4 cut inside a frame of text",
    raw: (kit) => [cut(kit.open, kit.say("half an"), kit.say(" answer").slice(0, -20))],
    want: { ...half, text: "half an" },
  },
  {
    name: "P4 cut inside the arguments of a call",
    raw: (kit) => [cut(kit.open, kit.call(0), kit.args(0, '{"path":"a')), good(kit)],
    want: retried,
  },
  {
    name: "P4 cut after a finished call",
    raw: (kit) => [cut(kit.open, kit.callDone(0, "{}")), good(kit)],
    want: retried,
  },
  {
    name: "P4 cut after text and a finished call",
    raw: (kit) => [cut(kit.open, kit.say("I will look"), kit.callDone(0, "{}"))],
    want: { ...half, text: "I will look" },
  },
  {
    name: "P4 cut after thinking only",
    raw: (kit) => [cut(kit.open, kit.think("hm")), good(kit)],
    want: retried,
  },
  {
    name: "P4 cut after the last frame",
    raw: (kit) => [cut(kit.open, kit.say("ok"), kit.close())],
    want: fine,
  },
  {
    name: "P4 cut by the demo model inside a call",
    demo: [
      [{ call: { tool: "t", args: { x: "y".repeat(200) } } }, { cut: { afterFrames: 3 } }],
      [{ text: "ok" }],
    ],
    want: retried,
  },
  {
    name: "P4 cut by the demo model after so many bytes",
    demo: [
      [{ call: { tool: "t", args: { x: "y".repeat(300) } } }, { cut: { afterBytes: 500 } }],
      [{ text: "ok" }],
    ],
    want: retried,
  },
  {
    name: "P4 Stop after the first word",
    raw: (kit) => [hang(kit.open, kit.say("half"))],
    stopAt: ({ type }) => type === "delta",
    want: { end: "aborted", text: "half" },
  },

  {
    name: "P5 silence from the start",
    raw: () => [hang()],
    want: { end: "network", says: /nothing for 120 seconds/, waits: [120_000, 120_000] },
  },
  {
    name: "P5 silence after text",
    raw: (kit) => [hang(kit.open, kit.say("one moment"))],
    want: { end: "network", says: /nothing for 120/, text: "one moment", waits: [120_000, 120_000] },
  },
  {
    name: "P5 pings only",
    raw: (kit) => [hang(kit.open, ": ping\n\n".repeat(50), kit.prelude("response.in_progress").repeat(50))],
    want: { end: "network", says: /nothing for 120/, waits: [120_000, 120_000] },
  },
  {
    name: "P5 one byte at a time, without an end",
    raw: (kit) => [hang(kit.open, ...Array.from({ length: 40 }, () => kit.say("x")))],
    perDeltaMs: 100_000,
    want: { end: "network", says: /within 60 minutes/, text: "x".repeat(36), waits: [3_600_000, 3_600_000] },
  },
  {
    name: "P5 an error that never ends",
    raw: () => [{ status: 500, body: "oo", after: "hang" }],
    want: { end: "overloaded", says: /HTTP 500/, waits: [120_000, 120_000] },
  },

  ...["codex.rate_limits", "response.in_progress", "something.else"].map(
    (type) =>
      ({
        name: `P7 first frame ${type}`,
        raw: (kit) => [sse(kit.prelude(type), kit.say("ok"), kit.close())],
        want: fine,
      }) satisfies Row,
  ),
  {
    name: "P7 first frame by the demo model",
    demo: [[{ wrongFirst: "codex.rate_limits" }, { text: "ok" }]],
    want: fine,
  },
  {
    name: "P7 a first frame nobody knows and then nothing",
    raw: (kit) => [sse(kit.prelude("codex.rate_limits")), good(kit)],
    want: retried,
  },
  {
    name: "P7 error frame first",
    raw: (kit) => [sse(kit.error({ message: "This plan has no access", code: "plan_missing" }))],
    want: { end: "refused", says: /This plan has no access \(code plan_missing\)/, next: /other words/ },
  },
  {
    name: "P7 error frame first, quota",
    raw: (kit) => [sse(kit.open, kit.error({ code: "usage_limit_reached", message: "until Monday" }))],
    want: { end: "quota", says: /until Monday/, next: /billing/ },
  },
  {
    name: "P7 error frame first, overloaded",
    raw: (kit) => [sse(kit.error({ code: "server_is_overloaded", message: "full" })), good(kit)],
    want: { ...retried, waits: [500, 1000] },
  },
  {
    name: "P7 error frame first, too many requests for ever",
    raw: (kit) => [sse(kit.error({ code: "rate_limit_exceeded", message: "slow" }))],
    want: { end: "rate_limited", says: /slow.*3 times/, requests: 3, waits: [1500, 3000] },
  },
  {
    name: "P7 error frame, nested, with a parameter",
    raw: (kit) => [sse(kit.nested({ code: "invalid_value", message: "not so", param: "input[3]" }))],
    want: { end: "refused", says: /not so \(code invalid_value, param input\[3\]\)/ },
  },
  {
    name: "P7 error frame with an empty message",
    raw: (kit) => [sse(kit.open, kit.error({ message: "" }))],
    want: { end: "refused", says: /error without a reason/ },
  },
  {
    name: "P7 error frame that is not JSON",
    raw: (kit) => [sse(kit.open, "event: error\ndata: over capacity\n\n")],
    want: { end: "refused", says: /over capacity/ },
  },
  {
    name: "P7 error frame about the context",
    raw: (kit) => [sse(kit.open, kit.error({ code: "context_length_exceeded", message: "long" }))],
    want: { end: "context_full", next: /new session/ },
  },
  {
    name: "P7 error frame after text: no second request",
    raw: (kit) => [sse(kit.open, kit.say("half"), kit.error({ code: "server_error", message: "it broke" }))],
    want: { end: "overloaded", says: /it broke/, text: "half" },
  },
  {
    name: "P7 error frame about sealed reasoning",
    sealed: true,
    raw: (kit) => [
      sse(kit.error({ message: "Could not decrypt the provided encrypted_content" })),
      good(kit),
    ],
    want: { ...fine, requests: 2, notice: "reasoning_dropped" },
  },
  {
    name: "P7 failed at the end, then an answer",
    raw: (kit) => [sse(kit.open, kit.failed({ code: "server_error", message: "boom" })), good(kit)],
    want: { ...retried, waits: [500, 1000] },
  },
  {
    name: "P7 incomplete: length",
    raw: (kit) => [sse(kit.open, kit.say("so far"), kit.incomplete("length"))],
    want: {
      end: "completed",
      early: /ended the answer early \((?:length|max_output_tokens)\)/,
      text: "so far",
    },
  },
  {
    name: "P7 incomplete: filter",
    raw: (kit) => [sse(kit.open, kit.say("so far"), kit.incomplete("filter"))],
    want: { end: "completed", early: /content_filter/, text: "so far" },
  },
  {
    name: "P7 incomplete with nothing in it",
    raw: (kit) => [sse(kit.open, kit.incomplete("filter"))],
    want: { end: "refused", says: /content_filter/, next: /other words/ },
  },
  {
    name: "P7 incomplete with a call in it",
    raw: (kit) => [
      sse(kit.open, kit.say("so far"), kit.callDone(0, '{"a":1}'), kit.incomplete("length")),
      good(kit),
    ],
    want: { end: "completed", early: /ended the answer early/, text: "so far", ran: ['t {"a":1}'] },
  },
  {
    name: "P7 incomplete with half a call in it",
    raw: (kit) => [
      sse(kit.open, kit.say("so far"), kit.call(0), kit.args(0, '{"a":'), kit.incomplete("length")),
    ],
    want: { end: "completed", early: /ended the answer early/, text: "so far" },
  },
  {
    name: "P7 incomplete with nothing but half a call in it",
    raw: (kit) => [sse(kit.open, kit.call(0), kit.args(0, '{"a":'), kit.incomplete("length"))],
    want: { end: "refused", says: /ended the answer early/, next: /go on/ },
  },
  {
    name: "P7 all said, no proper end",
    raw: (kit) => [sse(kit.open, kit.say("ok"), kit.finish)],
    want: fine,
  },
  {
    name: "P7 all said, no proper end, and the connection stays open",
    raw: (kit) => [hang(kit.open, kit.say("ok"), kit.finish)],
    want: { ...fine, waits: [0, 5000] },
  },
  {
    name: "P7 no last frame, after text",
    raw: (kit) => [sse(kit.open, kit.say("half"))],
    want: { ...half, text: "half" },
  },
  { name: "P7 no last frame, nothing said", raw: (kit) => [sse(kit.open), good(kit)], want: retried },
  {
    name: "P7 no last frame by the demo model",
    demo: [[{ text: "half" }, { noCompleted: true }]],
    want: { ...half, text: "half" },
  },
];
