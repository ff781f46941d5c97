import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ConverseEvent } from "../converse.ts";
import { canary, play, userText, type Played } from "./play.suite.ts";
import type { Want } from "./row.suite.ts";
import { rows } from "./rows.suite.ts";

const protocols = ["responses", "chat"] as const;

for (const protocol of protocols) {
  describe(`a provider on ${protocol}`, { concurrency: 4 }, () => {
    for (const row of rows) {
      test(row.name, { timeout: 30_000 }, async () => {
        const played = await play(row, protocol);
        checkEnd(played, row.want);
        checkText(played, row.want);
        checkCalls(played, row.want);
        checkRequests(played, row.want);
      });
    }
  });
}

test("the matrix has at least 60 rows, each by its own name", (t) => {
  assert.ok(rows.length >= 60);
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  t.diagnostic(`${rows.length} provider behaviours × ${protocols.length} protocols`);
});

function checkEnd({ talk, turn, waitedMs }: Played, want: Want): void {
  const last = talk.at(-1);
  assert.equal(talk.filter(isTerminal).length, 1, "one terminal event");
  assert.ok(last !== undefined && isTerminal(last), "which is the last one");
  const fault = last.type === "failed" ? last.fault : undefined;
  assert.equal(fault?.code ?? last.type, want.end, fault?.message);
  assert.match(fault?.message ?? "", want.says ?? /(?:)/);
  assert.match(fault?.next ?? "", want.next ?? /(?:)/);
  const early = last.type === "completed" ? last.early?.message : undefined;
  assert.equal(early !== undefined, want.early !== undefined, early);
  assert.match(early ?? "", want.early ?? /(?:)/);
  const told = turn.some((event) => event.type === "notice" && event.code === "answer_cut");
  assert.equal(told, want.early !== undefined, "the person is told");
  if (fault !== undefined) assert.ok(fault.message !== "" && fault.next !== "");
  assert.equal(turn.filter(({ type }) => type === "ended").length, 1);
  assert.doesNotMatch(JSON.stringify([talk, turn]), new RegExp(canary));
  assert.doesNotMatch(fault?.message ?? "", /\n\s+at /, "no stack");
  const [least, most] = want.waits ?? [0, 0];
  assert.ok(waitedMs >= least && waitedMs <= most, `waited ${waitedMs} ms`);
  const notices = talk.flatMap((event) => (event.type === "notice" ? [event.code] : []));
  assert.deepEqual(notices, want.notice === undefined ? [] : [want.notice]);
}

/** Whatever was tried, the person reads each word once, and never a blank message. */
function checkText({ talk, turn }: Played, want: Want): void {
  const said = talk.flatMap((event) => (event.type === "delta" && event.of === "text" ? [event.text] : []));
  const kept = talk.flatMap((event) =>
    event.type === "item" && event.item.kind === "text" ? [event.item.text] : [],
  );
  const shown = said.join("").trim();
  if (shown !== "") assert.equal(shown, want.text ?? "");
  if (want.end === "completed") assert.equal(kept.join("") || shown, want.text ?? "");
  const texts = turn.flatMap((event) =>
    event.type === "item" && event.item.kind === "text" ? [event.item.text] : [],
  );
  assert.ok(texts.every((text) => text.trim() !== ""));
  if ((want.text ?? "") !== "") assert.equal(texts[0], want.text);
  const ids = turn.flatMap((event) => (event.type === "item" ? [event.item.id] : []));
  assert.equal(new Set(ids).size, ids.length, "items are numbered once");
}

/** Calls are said right before the answer is complete, and run only then. */
function checkCalls({ talk, ran, told }: Played, want: Want): void {
  const firstCall = talk.findIndex((event) => event.type === "item" && event.item.kind === "call");
  if (firstCall !== -1) {
    assert.equal(talk.at(-1)?.type, "completed");
    const rest = talk.slice(firstCall).map((event) => (event.type === "item" ? event.item.kind : event.type));
    assert.ok(rest.every((kind) => kind === "call" || kind === "usage" || kind === "completed"));
  }
  assert.deepEqual(
    ran.map((run) => run.slice(0, 58)),
    want.ran ?? [],
  );
  assert.equal(told.length > 0, want.told !== undefined);
  assert.match(told[0] ?? "", want.told ?? /(?:)/);
}

function checkRequests({ talk, requests }: Played, want: Want): void {
  assert.equal(requests.length, want.requests ?? 1, "requests");
  for (const { body } of requests) assert.ok(body.includes(userText));
  const same = requests.slice(1).map(({ key }, at) => key === requests[at]?.key);
  if (want.sameKey !== undefined) assert.deepEqual(same, want.sameKey);
  assert.equal(requests.at(-1)?.body.includes('"stream":false') ?? false, want.whole ?? wantsWhole(want));
  const usages = talk.flatMap((event) => (event.type === "usage" ? [event] : []));
  assert.ok(usages.every(({ input, output }) => input >= 0 && output >= 0));
}

const wantsWhole = (want: Want): boolean => want.requests === 3 && want.end === "protocol";

const isTerminal = ({ type }: ConverseEvent): boolean =>
  type === "completed" || type === "failed" || type === "aborted";
