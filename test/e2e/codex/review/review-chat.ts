import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../../../src/lib/clock.ts";
import { terminalOf } from "../../pseudo-terminal.ts";
import type { Result, Started } from "../../talaria.ts";
import { type CodexTalaria, ownProvider } from "../codex-talaria.ts";

/** What the model says to what a person says, and to the review that follows. */
export const answers = (said: string, ...reply: readonly object[]): object => ({
  when: `^${said}$`,
  reply: reply.length === 0 ? [{ text: `Answer to ${said}.` }] : reply,
});
export const review = (...reply: readonly object[]): object => ({
  when: "^\\[Talaria, not the person",
  reply: reply.length === 0 ? [{ text: "NOTHING" }] : reply,
});

/** Codex has a provider of its own; Talaria knows only that codex has a login. */
export async function loginOnly(it: CodexTalaria, settings = ""): Promise<void> {
  await settle(it, (await ownProvider(it)) + settings);
}

/** The settings of the program; `small`: more about small calls. No titles: they would be requests, too. */
export const settle = (it: CodexTalaria, settings: string, small = ""): Promise<void> =>
  writeFile(
    join(it.home, "config.yaml"),
    `${settings}auxiliary: { title_generation: { enabled: false }${small} }\n`,
    { mode: 0o600 },
  );

/** A chat in a terminal. */
export type Chat = {
  readonly terminal: Started;
  /** Says it, and waits for the answer to it. */
  say(text: string, answer?: RegExp): Promise<void>;
  quit(): Promise<Result>;
};

export async function chat(it: CodexTalaria, words = ""): Promise<Chat | undefined> {
  const terminal = await terminalOf(it, words);
  if (terminal === undefined) return undefined;
  await terminal.shows(/\n› $/);
  return {
    terminal,
    async say(text, answer = new RegExp(`Answer to ${text}\\.[^]*\\n› $`)) {
      await terminal.write(`${text}\n`);
      await terminal.shows(answer);
    },
    async quit() {
      await terminal.write("/quit\n");
      const result = await terminal.finished;
      assert.equal(result.code, 0, result.stdout);
      return result;
    },
  };
}

export function rows({ home }: CodexTalaria, query: string): readonly Record<string, unknown>[] {
  using db = new DatabaseSync(join(home, "talaria.db"), { readOnly: true });
  return db.prepare(query).all();
}

export type ReviewRow = { readonly kind: string; readonly state: string; readonly after: string };

/** What was reviewed, each with the words of the last turn that it had before it. */
export const reviews = (it: CodexTalaria): readonly ReviewRow[] =>
  rows(
    it,
    `SELECT review.kind, review.state, json_extract(inbox.body, '$[0].text') AS after
     FROM review JOIN turn ON turn.id = review.up_to JOIN inbox ON inbox.id = turn.inbox_id ORDER BY review.seq`,
  ).map(({ kind, state, after }) => ({ kind: String(kind), state: String(state), after: String(after) }));

/** It is done in the background, so nothing on the screen tells when. */
export async function untilReviewed(it: CodexTalaria, count: number): Promise<readonly ReviewRow[]> {
  const deadline = AbortSignal.timeout(30_000);
  for (;;) {
    const found = reviews(it);
    if (found.filter(({ state }) => state !== "running").length >= count) return found;
    await systemClock.sleep(20, deadline, { hold: true });
  }
}

export async function rollouts({ codexHome }: CodexTalaria): Promise<readonly string[]> {
  const found = await readdir(join(codexHome, "sessions"), { recursive: true }).catch(() => []);
  return found.filter((name) => name.endsWith(".jsonl"));
}
