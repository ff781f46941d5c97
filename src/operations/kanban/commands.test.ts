import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Client } from "../../core/calls.ts";
import type { Card } from "../../core/cards/cards.ts";
import { localOwner } from "../../core/principal.ts";
import { textWidth } from "../../core/text/text-width.ts";
import { boardText } from "../text/card-text.ts";
import { kanban } from "./commands.ts";

const card: Card = {
  id: "t_1",
  board: "default",
  title: "Mend the roof",
  state: "ready",
  priority: 0,
  workspace: "scratch",
  failures: 0,
  failureLimit: 2,
  epoch: 0,
  madeBy: "you",
  createdAt: 0,
  changedAt: 0,
};

async function asked(
  line: string,
  runner = "running",
): Promise<{ readonly calls: readonly unknown[]; readonly text: string }> {
  const calls: unknown[] = [];
  const call = async (name: string, input: unknown): Promise<unknown> => {
    calls.push([name, input]);
    return name === "work.status" ? { runner } : card;
  };
  const where = {
    surface: "tui",
    cwd: "/here",
    choices: {},
    attended: "ask",
    by: localOwner("tui"),
    busy: false,
  } as const;
  const { text } = await kanban(line, { ...where, now: 1_000 }, { call } as unknown as Client);
  return { calls, text };
}

describe("/kanban", () => {
  test("takes the words and options of talaria kanban, quoted where they have spaces", async () => {
    const { calls, text } = await asked(
      `add Mend the roof --body "Before winter" --parent t_a --parent b --priority -2 --triage`,
    );
    const wanted = { title: "Mend the roof", cwd: "/here", body: "Before winter" };
    assert.deepEqual(calls, [
      ["kanban.add", { ...wanted, parents: ["t_a", "b"], priority: -2, triage: true }],
      ["work.status", {}],
    ]);
    assert.equal(text, "Added t_1: Mend the roof (ready)");
    const { text: alone } = await asked("add Mend the roof", "none");
    assert.match(alone, /^Added t_1: .*\nIt waits: no host is running\. `talaria serve` works on it/);
    assert.deepEqual((await asked("block 1 Rain --kind transient --until 2h")).calls, [
      ["kanban.block", { card: "1", kind: "transient", reason: "Rain", until: 7_201_000 }],
    ]);
  });

  test("says what is wrong and asks for nothing", async () => {
    for (const [line, why] of [
      ["burn t_1", /one of: list, add/],
      ["show", /Which card/],
      ["link t_1", /two ids/],
      ["block t_1 --kind lazy", /not a kind/],
      ["block t_1 x --kind transient --until soon", /not a time/],
      ["add x --workspace tmp", /not a workspace/],
      ["list --state lost", /not a state/],
    ] as const) {
      const { calls, text } = await asked(line);
      assert.deepEqual(calls, [], line);
      assert.match(text, why);
    }
  });
});

describe("a board", () => {
  test("fits the width: side by side where there is room, else one state below the other", () => {
    const wide = "道".repeat(60);
    const cards: readonly Card[] = (["triage", "todo", "ready", "review"] as const).map((state, at) => ({
      ...card,
      id: `t_${at}`,
      state,
      title:
        at === 2 ? wide : "Mend the roof with a word of-sixty-letters-that-cannot-be-broken-anywhere-at-all",
    }));
    for (const width of [30, 80, 105, 200]) {
      const lines = boardText(cards, width, "talaria kanban").split("\n");
      assert.deepEqual(
        lines.filter((line) => textWidth(line) > width),
        [],
      );
      assert.equal(lines[0]?.includes("REVIEW"), width > 100, `${width}`);
    }
  });
});
