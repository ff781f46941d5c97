import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ReportedTokens } from "../../src/models/demo/reply.ts";
import { leftProcesses } from "../hostile-model/left-processes.ts";
import { tripwire } from "./attempt.ts";
import type { World } from "./world.ts";

/** What can be seen from outside and is not a row inside, or the other way round. */
export async function differences(
  world: World,
  reported: ReportedTokens,
  listed: readonly string[],
): Promise<readonly string[]> {
  const rows = inside(world.database);
  const trips = await readFile(join(world.cwd, tripwire), "utf8").catch(() => "");
  const commands = [...new Set(trips.split("\n").filter(Boolean))];
  const files = (await readdir(world.cwd)).filter((name) => name !== tripwire && /^m\d+-\d/.test(name));
  const running = await leftProcesses(world);
  return [
    ...(rows.turns === world.sent() ? [] : [`${world.sent()} messages and ${rows.turns} turns`]),
    ...(rows.unasked === 0 ? [] : [`codex asked a model ${rows.unasked} times by itself`]),
    ...(["input", "output"] as const)
      .filter((key) => rows.tokens[key] !== reported[key])
      .map(
        (key) => `the model reported ${reported[key]} tokens of ${key}, the ledger has ${rows.tokens[key]}`,
      ),
    ...commands.filter((mark) => !rows.didCall(mark)).map((mark) => `${mark} was run and is no row`),
    ...files.filter((name) => !rows.didCall(name)).map((name) => `${name} was written and is no row`),
    ...(running.length === listed.length
      ? []
      : [`${running.length} commands run on, and ${listed.length} are listed`]),
  ];
}

type Inside = {
  /** Of messages of the person. */
  readonly turns: number;
  /** Turns that codex began, and asked a model in. What commands end with later is kept as a turn, too, but costs nothing. */
  readonly unasked: number;
  readonly tokens: ReportedTokens;
  /** Is there a call that has this in its words or its output? */
  didCall(mark: string): boolean;
};

function inside(file: string): Inside {
  using db = new DatabaseSync(file, { readOnly: true });
  const ask = (query: string): readonly Record<string, unknown>[] => db.prepare(query).all();
  const [turns] = ask(
    "select count(*) as n from turn join inbox on turn.inbox_id = inbox.id where surface = 'cli'",
  );
  const [unasked] = ask(
    "select count(*) as n from usage join turn on turn.id = usage.turn_id join inbox on turn.inbox_id = inbox.id where surface = 'codex'",
  );
  const [spent] = ask("select total(input) as input, total(output) as output from usage");
  const calls = ask("select body from item")
    .map(({ body }) => String(body))
    .filter((body) => body.includes('"kind":"call"'));
  return {
    turns: Number(turns?.["n"]),
    unasked: Number(unasked?.["n"]),
    tokens: { input: Number(spent?.["input"]), output: Number(spent?.["output"]) },
    // With a character after it, so that a number does not stand for a longer one.
    didCall: (mark) => calls.some((body) => new RegExp(`${mark}(?![\\d-])`).test(body)),
  };
}
