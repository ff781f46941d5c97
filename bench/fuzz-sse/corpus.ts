import { chatFrames } from "../../src/models/demo/chat-frames.ts";
import type { StreamStep, Content, Reply } from "../../src/models/demo/reply.ts";
import { responsesFrames } from "../../src/models/demo/responses-frames.ts";
import { kits } from "../../src/models/matrix/kit.suite.ts";
import { rows } from "../../src/models/matrix/rows.suite.ts";
import type { Route } from "../../src/models/model.ts";

/** Good and bad streams of one protocol, each as its frames. */
export type Corpus = readonly (readonly string[])[];

const longest = 20_000;

const text: Content = { kind: "text", text: "Größe 🙂 and so on, word by word." };
const thought: Content = { kind: "reasoning", summary: ["First.", "Second."], raw: "hm" };
const call: Content = { kind: "call", tool: "t", args: '{"path":"a","n":[1,2]}' };
const custom: Content = { kind: "custom", tool: "t", input: "*** go" };
const replies: readonly (readonly Content[])[] = [
  [text],
  [thought, text],
  [thought, call],
  [text, call, call, custom],
  [thought, text, { kind: "malformed" }, call],
  [text, { kind: "error", code: "server_error", message: "it broke" }],
];

export const corpora: Readonly<Record<Route["protocol"], Corpus>> = {
  responses: [...demoStreams("responses"), ...matrixStreams("responses")],
  chat: [...demoStreams("chat"), ...matrixStreams("chat")],
};

function demoStreams(protocol: Route["protocol"]): Corpus {
  const about = { id: "x", model: "demo", inputChars: 40 };
  const framesOf = (reply: Reply): Iterable<StreamStep> =>
    protocol === "chat" ? chatFrames(reply, about) : responsesFrames(reply, about);
  return replies.map((content) =>
    [...framesOf({ content })].flatMap((beat) => (beat === "hang" ? [] : [beat.frame])),
  );
}

function matrixStreams(protocol: Route["protocol"]): Corpus {
  const bodies = rows.flatMap((row) => row.raw?.(kits[protocol]) ?? []);
  return bodies.flatMap(({ status = 200, body }) =>
    status === 200 && typeof body === "string" && body.length <= longest ? [split(body)] : [],
  );
}

function split(body: string): readonly string[] {
  return body.match(/[\s\S]+?(?:\n\n|$)/g) ?? [];
}
