import type { DemoRequest, OfferedTool } from "../../src/models/demo/demo-request.ts";
import type { Content, Reply } from "../../src/models/demo/reply.ts";
import { type AnsweringModel, startAnsweringModel } from "../answering-model.ts";
import { processesWith } from "./processes.ts";

/** Does every card in the same four steps: a command, a patch, the word that it is done, an answer. */
export type CardModel = AnsweringModel & {
  /** Resolves with the so-many-th request about this card. */
  request(card: string, number: number): Promise<void>;
  /** What was wrong with what it was asked, or with what still ran then. */
  readonly broken: readonly string[];
};

/** The file that gets a line from every command that really ran. */
export const effects = "effects.txt";

export async function startCardModel(): Promise<CardModel> {
  const asked = new Map<string, number>();
  const waiting: { readonly card: string; readonly number: number; readonly resolve: () => void }[] = [];
  const broken: string[] = [];
  // Each attempt is told of those before it, so that no two begin with the same words.
  const given = new Map<string, { readonly nonce: string; readonly opening: string }[]>();
  let commands = 0;

  /** No two commands are the same, so that each can be told from its repetition. */
  const command = (card: string, opening: string): Content => {
    commands += 1;
    const nonce = `${card}-${commands}`;
    const before = given.get(card) ?? [];
    for (const one of before) void lookForLeft(one.nonce);
    if (before.some((one) => one.opening === opening)) broken.push(`${card}: an attempt was begun twice`);
    given.set(card, [...before, { nonce, opening }]);
    const cmd = `echo ${nonce} >> ${effects}; sleep 0.3; echo said ${nonce}`;
    return call("exec_command", { cmd, yield_time_ms: 30_000 });
  };

  /** Before anybody else has the card, nothing is left of what an earlier attempt had started. */
  const lookForLeft = async (nonce: string): Promise<void> => {
    for (const one of await processesWith(nonce))
      broken.push(`${nonce} still ran in the next attempt: ${one.command}`);
  };

  const answer = ({ userTexts, results, tools }: DemoRequest): Reply => {
    const words = userTexts.findLast((text) => cardIn(text) !== undefined) ?? "";
    const card = cardIn(words) ?? "";
    if (userTexts.filter((text) => text === words).length > 1)
      broken.push(`${card}: it was told its card twice`);
    const number = (asked.get(card) ?? 0) + 1;
    asked.set(card, number);
    for (const one of waiting) if (one.card === card && one.number <= number) one.resolve();
    const isOpening = userTexts.at(-1) === words;
    const step = isOpening ? results.length : 2 + results.length;
    return {
      content: [
        within(
          tools,
          contentOf(step, card, () => command(card, words)),
        ),
      ],
      delivery: { slowMs: 5 },
    };
  };

  const model = await startAnsweringModel(answer);
  return {
    url: model.url,
    get reported() {
      return model.reported;
    },
    broken,
    request: (card, number) =>
      (asked.get(card) ?? 0) >= number
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ card, number, resolve })),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

const contentOf = (step: number, card: string, run: () => Content): Content => {
  if (step === 0) return run();
  if (step === 1) return { kind: "custom", tool: "apply_patch", input: patch };
  if (step === 2) return call("kanban_complete", { summary: summaryOf(card) });
  return { kind: "text", text: "Done.", chunks: 2 };
};

/** Codex has tools of ours in a namespace. */
function within(tools: readonly OfferedTool[], content: Content): Content {
  if (content.kind !== "call") return content;
  const namespace = tools.find(({ name }) => name === content.tool)?.namespace;
  return namespace === undefined ? content : { ...content, namespace };
}

export const summaryOf = (card: string): string => `The note of ${card} is there.`;

const patch = "*** Begin Patch\n*** Add File: note.md\n+mended\n*** End Patch";

const call = (tool: string, args: object): Content => ({ kind: "call", tool, args: JSON.stringify(args) });

const cardIn = (text: string): string | undefined => /^\[card (t_[0-9a-f]+)\]/.exec(text)?.[1];
