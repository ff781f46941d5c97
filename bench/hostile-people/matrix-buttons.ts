import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Grid, MatrixSize } from "./grid.ts";
import { asking } from "./obedient-model.ts";
import { type PeopleWorld, type Place, type Who, openGroup, people, places } from "./world.ts";

/** A question that a turn has put, while it waits. */
type Question = {
  readonly id: string;
  readonly table: "approval" | "inquiry";
  readonly ended: Promise<unknown>;
};

type Asked = {
  readonly name: string;
  readonly who: Who;
  readonly place: Place;
  readonly kind: "approval" | "inquiry";
};

const asked: readonly Asked[] = [
  { name: "owner's", who: "owner", place: places.direct("owner"), kind: "approval" },
  { name: "owner's in a group", who: "owner", place: places.group("owner"), kind: "approval" },
  { name: "member's", who: "member", place: places.direct("member"), kind: "approval" },
  { name: "member's in a topic", who: "member", place: places.topic("member"), kind: "approval" },
  { name: "asked the owner", who: "owner", place: places.direct("owner"), kind: "inquiry" },
  { name: "asked the member", who: "member", place: places.direct("member"), kind: "inquiry" },
  { name: "asked the guest", who: "guest", place: places.direct("guest"), kind: "inquiry" },
];

const everybody = Object.keys(people) as Who[];
export const buttonColumns = everybody;

/** What is the same for each of the others is tried by one of them. */
const slice = {
  asked: ["owner's", "member's in a topic", "asked the guest"],
  choices: ["once", "deny"],
  people: ["owner", "member", "other member", "guest", "revoked"] satisfies Who[] as readonly Who[],
} as const;

/** Each button pressed by everybody: in the chat where it is, in their own with its words copied, and in a group that is let in. */
export async function buttonMatrix(
  world: PeopleWorld,
  size: MatrixSize,
): Promise<{ grid: Grid; faults: readonly string[] }> {
  const grid: Grid = new Map();
  const faults: string[] = [];
  // So that the bot knows where the owner is.
  await world.say("owner", places.direct("owner"), "/whoami");
  const isSlice = size === "slice";
  const pressers = isSlice ? slice.people : everybody;
  for (const one of asked.filter(({ name }) => !isSlice || (slice.asked as readonly string[]).includes(name)))
    await tryButtons(world, one, { pressers, choices: choicesOf(one, isSlice) }, grid, faults);
  await tryLists(world, isSlice ? ["owner", "guest"] : everybody, grid);
  await tryLate(world, faults);
  return { grid, faults };
}

function choicesOf({ kind }: Asked, isSlice: boolean): readonly string[] {
  if (kind === "inquiry") return ["0"];
  return isSlice ? slice.choices : ["once", "session", "always", "deny"];
}

type Pressing = { readonly pressers: readonly Who[]; readonly choices: readonly string[] };

async function tryButtons(
  world: PeopleWorld,
  one: Asked,
  { pressers, choices }: Pressing,
  grid: Grid,
  faults: string[],
): Promise<void> {
  let open: Question | undefined;
  for (const choice of choices) {
    const cells = new Map<string, string>();
    grid.set(`${one.name} ${one.kind}: ${choice}`, cells);
    for (const who of pressers) {
      cells.set(who, "-");
      for (const place of [one.place, places.direct(who), openGroup]) {
        open ??= await ask(world, one);
        const before = stateIn(world, open);
        const told = await world.press(who, place, dataOf(open, choice));
        if (told === "") faults.push(`${who} was told nothing of ${one.name} ${choice}`);
        if (stateIn(world, open) === before) continue;
        cells.set(who, "taken");
        faults.push(...(await afterwards(world, one, open, choice, who)));
        open = undefined;
        break;
      }
    }
  }
  if (open !== undefined) await end(world, open);
}

async function ask(world: PeopleWorld, { who, place, kind }: Asked): Promise<Question> {
  await mkdir(join(world.cwd, "victim/inner"), { recursive: true });
  const before = new Set(world.rows(`select id from ${kind}`).map(({ id }) => id));
  const deed =
    kind === "approval"
      ? { tool: "terminal", args: { command: "rm -rf victim" } }
      : { tool: "clarify", args: { question: "Which one?", choices: ["this", "that"] } };
  const ended = world.say(who, place, asking(`ask-${before.size}`, [deed]));
  const name = place.thread === undefined ? place.chat : `${place.chat}/${place.thread}`;
  const fresh = (): string | undefined =>
    world
      .rows(`select id from ${kind}`)
      .map(({ id }) => String(id))
      .find((id) => !before.has(id));
  const isShown = (chat: string) =>
    world.app.shows(chat, (all) =>
      all.some(({ buttons }) => buttons.some(({ data }) => data.includes(fresh() ?? "none"))),
    );
  await isShown(kind === "approval" ? "c1" : name);
  return { id: fresh() ?? "", table: kind, ended };
}

const dataOf = ({ id, table }: Pick<Question, "id" | "table">, choice: string): string =>
  `${table === "approval" ? "a" : "q"}:${id}:${choice}`;

const stateIn = ({ rows }: PeopleWorld, { id, table }: Question): unknown =>
  rows(`select state from ${table} where id = '${id}'`)[0]?.["state"];

/** It counts once, whoever presses again; and what was to be allowed is done only if it was. */
async function afterwards(
  world: PeopleWorld,
  { name, kind, place }: Asked,
  question: Question,
  choice: string,
  who: Who,
): Promise<readonly string[]> {
  const state = stateIn(world, question);
  const again = await Promise.all(
    (["owner", who, "member"] as const).flatMap((by) =>
      ["once", "deny"].map((other) =>
        world.press(by, place, dataOf(question, kind === "approval" ? other : "1")),
      ),
    ),
  );
  await question.ended;
  // What is allowed for a session is not asked a second time in it.
  if (choice === "session") await world.say("owner", place, "/new");
  const isThere = (await readdir(world.cwd)).includes("victim");
  const isAllowed = choice === "once" || choice === "session";
  return [
    ...(stateIn(world, question) === state ? [] : [`${name} ${choice} was answered twice`]),
    ...again.filter((told) => /^(Done|)\.?$/.test(told)).map(() => `a second press of ${name} was taken`),
    ...(kind === "approval" && isThere === isAllowed
      ? [`${name} ${choice} by ${who}: it is ${isThere ? "there" : "gone"}`]
      : []),
  ];
}

async function end(world: PeopleWorld, question: Question): Promise<void> {
  await world.press(
    "owner",
    places.direct("owner"),
    dataOf(question, question.table === "approval" ? "deny" : "0"),
  );
  await question.ended;
}

/** On a list stands a command, and whoever presses has typed it. */
async function tryLists(world: PeopleWorld, pressers: readonly Who[], grid: Grid): Promise<void> {
  const sessions = (): string =>
    JSON.stringify(world.rows("select chat, person, session, choices from chat_place order by chat, person"));
  // What was said so far is a session to come back to.
  await world.say("owner", places.direct("owner"), "/new");
  const owners = String(
    world.rows(
      "select id from session where audience = 'owner' and id not in (select session from chat_place where session is not null)",
    )[0]?.["id"],
  );
  for (const line of [`/resume ${owners}`, "/new", "/yolo on"]) {
    const cells = new Map<string, string>();
    for (const who of pressers.toReversed()) {
      await world.say(who, places.direct(who), "/whoami");
      const before = sessions();
      await world.press(who, places.direct(who), `c:${line}`);
      // It is done behind the press: this waits for its turn.
      await world.say(who, places.direct(who), "/whoami");
      cells.set(who, sessions() === before ? "-" : "taken");
    }
    grid.set(`list: ${line.split(" ")[0] ?? ""}`, cells);
  }
}

/** Nobody waits any more for what was asked before a restart. */
async function tryLate(world: PeopleWorld, faults: string[]): Promise<void> {
  const [, , one] = asked;
  if (one === undefined) return;
  const question = await ask(world, one);
  await world.restart();
  for (const who of everybody) {
    const told = await world.press(who, places.direct(who), dataOf(question, "once"));
    if (!/no longer open|answered before|may not|is for the owner/.test(told))
      faults.push(`after a restart ${who} was told: ${told}`);
  }
  await question.ended;
  if (!(await readdir(world.cwd)).includes("victim")) faults.push("a press after a restart was taken");
}
