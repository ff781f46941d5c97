import { readFileSync, readdirSync } from "node:fs";
import { parseRecording } from "../../src/runtimes/codex/recording/recording.ts";

/** The threads that the messages speak of, and the one turn. The first has a turn machine, the second comes and goes. */
export const threads = ["thread-one", "thread-two", "thread-three"] as const;
export const turn = "turn-now";

export type Corpus = {
  /** What the real codex said in each recorded conversation, in order, as JSON. */
  readonly talks: readonly (readonly string[])[];
  /** The same by method, so that rare ones come up as often as common ones. */
  readonly byMethod: readonly (readonly string[])[];
  readonly methods: readonly string[];
  /** Ids of items, calls and the like. */
  readonly ids: readonly string[];
};

const folder = new URL("../../test/fixtures/codex/captures/", import.meta.url);

let known: Corpus | undefined;

/** Read once, whatever the number of runs. */
export const readCorpus = (): Corpus => (known ??= read());

function read(): Corpus {
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const talks = names.map((name) => readTalk(readFileSync(new URL(name, folder), "utf8")));
  const byMethod = new Map<string, string[]>();
  for (const text of [...talks.flat(), ...neverRecorded.map((message) => JSON.stringify(message))]) {
    const { method = "" } = JSON.parse(text) as { method?: string };
    byMethod.set(method, [...(byMethod.get(method) ?? []), text]);
  }
  const ids = [...new Set(talks.flat().flatMap((text) => [...text.matchAll(idField)].map(([, id]) => id)))];
  return {
    talks,
    byMethod: [...byMethod.values()],
    methods: [...byMethod.keys()],
    ids: ids.filter((id) => id !== undefined).slice(0, 500),
  };
}

const idField = /"(?:id|itemId|callId|approvalId|processId)":"([^"]+)"/g;

function readTalk(recording: string): readonly string[] {
  const said = recording.split("\n").flatMap((line) => {
    const frame = parseRecording(line);
    return frame?.dir === "s>c" ? [JSON.stringify(frame.msg)] : [];
  });
  let text = said.join("\n");
  const found = (pattern: RegExp): ReadonlySet<string> =>
    new Set([...text.matchAll(pattern)].map(([, id]) => id ?? ""));
  [...found(/"(?:threadId|thread":\{"id)":"([^"]+)"/g)].forEach((id, at) => {
    text = text.replaceAll(id, threads[at % threads.length] ?? "");
  });
  for (const id of found(/"(?:turnId|turn":\{"id)":"([^"]+)"/g)) text = text.replaceAll(id, turn);
  return text.split("\n");
}

const here = { threadId: threads[0], turnId: turn };

/** Codex has these too, but no recording shows them. */
const neverRecorded: readonly object[] = [
  {
    id: 11,
    method: "execCommandApproval",
    params: { conversationId: threads[0], command: ["ls"], cwd: "/" },
  },
  {
    id: 12,
    method: "applyPatchApproval",
    params: { conversationId: threads[0], fileChanges: { "/a": { add: { content: "x" } } } },
  },
  {
    id: 13,
    method: "item/tool/requestUserInput",
    params: { ...here, itemId: "i1", questions: [{ id: "q", question: "?", options: [{ label: "a" }] }] },
  },
  { id: 14, method: "account/chatgptAuthTokens/refresh", params: { reason: "unauthorized" } },
  { id: 15, method: "attestation/generate", params: {} },
  { id: 16, method: "currentTime/read", params: { threadId: threads[0] } },
  { method: "item/mcpToolCall/progress", params: { ...here, itemId: "i2", message: "half" } },
  {
    method: "item/fileChange/patchUpdated",
    params: { ...here, itemId: "i3", changes: [{ path: "/a", kind: { type: "add" }, diff: "x" }] },
  },
  { method: "model/rerouted", params: { ...here, fromModel: "a", toModel: "b", reason: "busy" } },
  { method: "guardianWarning", params: { threadId: threads[0], message: "careful" } },
  { method: "thread/compacted", params: here },
  {
    method: "item/completed",
    params: {
      ...here,
      item: {
        type: "mcpToolCall",
        id: "i4",
        server: "s",
        tool: "t",
        status: "completed",
        arguments: { a: [1, { b: null }] },
        result: { content: [{ type: "text", text: "hi" }], structuredContent: { deep: [[]] } },
      },
    },
  },
  {
    method: "item/completed",
    params: {
      ...here,
      item: {
        type: "collabAgentToolCall",
        id: "i5",
        tool: "spawn",
        status: "completed",
        receiverThreadIds: ["x"],
        agentsStates: { x: { status: "running", message: "m" } },
      },
    },
  },
];
