import assert from "node:assert/strict";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { tempFolder } from "../../../test/temp-folder.ts";
import { isPlainObject } from "../../core/json.ts";
import { type ModelReply, turnOf } from "../runtime.suite.ts";
import type { Ports } from "../runtime.ts";
import { type OpenPlace, first, firstTurn, itemsOf, portsWith, secondTurn } from "./recovery.suite.ts";

/** Whatever has run is told of, also if we died before codex said a word of it. */
export function justBegunSuite(name: string, open: OpenPlace): void {
  describe(`recovery of what had just begun: ${name}`, () => {
    for (const place of [
      "a thread that is known",
      "a new thread, of which no more could be noted",
    ] as const) {
      const what = "a command that had only just begun when we died is told of, its outcome unknown";
      test(`${what}: on ${place}`, async () => {
        await using folder = await tempFolder();
        const cmd = `echo ran > ${join(folder.path, "ran")}; sleep 60`;
        const asked: ModelReply = { calls: [{ tool: "exec_command", args: { cmd } }] };
        const isNew = place !== "a thread that is known";
        await using fixture = await open(isNew ? [asked] : [first, asked]);
        const { before, bound } = isNew
          ? { before: fixture.start(), bound: undefined }
          : await firstTurn(fixture);
        const turn = isNew ? turnOf({ input: "first words" }) : secondTurn;
        const { ports, bound: saved } = portsWith(bound);
        const { binding } = ports;
        const save: Ports["binding"]["save"] = (value) =>
          isPlainObject(value) && "turn" in value ? new Promise(() => {}) : binding.save(value);
        const changes = watch(folder.path);
        void Array.fromAsync(before.run(turn, isNew ? { ...ports, binding: { ...binding, save } } : ports));
        // Codex tells of a command when it has run for a while; we are gone before that.
        for await (const { filename } of changes) if (filename === "ran") break;
        await before[Symbol.asyncDispose]();
        const { ports: later } = portsWith(saved());
        const told = itemsOf(await fixture.start().recover({ ...turn, items: [] }, later));
        const calls = told.filter((item) => item.kind === "call");
        assert.equal(calls.length, 1);
        assert.ok(JSON.stringify(calls[0]?.args).includes(cmd) && calls[0]?.ok === false);
      });
    }
  });
}
