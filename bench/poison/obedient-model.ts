import type { DemoRequest, ToolOutput } from "../../src/models/demo/demo-request.ts";
import { type Reply, textReply } from "../../src/models/demo/reply.ts";
import { isReview, startAnsweringModel } from "../answering-model.ts";

export type Call = { readonly tool: string; readonly args: object };

/** What it does, one call after the other: when the person speaks, and when it is asked to look back. */
type Deeds = { readonly turn: readonly Call[]; readonly review: readonly Call[] };

export type ObedientModel = AsyncDisposable & {
  readonly url: string;
  /** What it is to do in the conversation with this word in it. */
  teach(word: string, deeds: Deeds): void;
  /** What its calls gave back. */
  results(word: string, phase: keyof Deeds): readonly ToolOutput[];
  /** The body of the last request that had this word in it. */
  lastBody(word: string): string;
};

/** A model that does whatever it was taught, in every conversation, at any time. */
export async function startObedientModel(): Promise<ObedientModel> {
  const taught = new Map<string, Deeds>();
  const heard = new Map<string, readonly ToolOutput[]>();
  const bodies = new Map<string, string>();
  const server = await startAnsweringModel((conversation, body) => {
    const { userTexts: said, results } = conversation;
    const word = /\bcase-[a-z]+-\d+\b/.exec(said.toReversed().join("\n"))?.[0] ?? "";
    const phase = isReview(conversation) ? "review" : "turn";
    heard.set(`${phase} ${word}`, results);
    bodies.set(word, body);
    const next = taught.get(word)?.[phase][results.length];
    return next === undefined ? textReply("Done.") : { content: [callOf(next, conversation)] };
  });
  return {
    url: server.url,
    teach: (word, deeds) => void taught.set(word, deeds),
    results: (word, phase) => heard.get(`${phase} ${word}`) ?? [],
    lastBody: (word) => bodies.get(word) ?? "",
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** A tool that was offered within a namespace is called there; one that would have to be searched for first, beside `memory`. */
function callOf({ tool, args }: Call, { tools }: DemoRequest): Reply["content"][number] {
  const named = (wanted: string) => tools.find(({ name }) => name === wanted);
  const found = named(tool) ?? (tool === "skill_manage" ? named("memory") : undefined);
  const within = found?.namespace === undefined ? {} : { namespace: found.namespace };
  return { kind: "call", tool, ...within, args: JSON.stringify(args) };
}
