import { slashCommands } from "../../src/operations/slash.ts";
import { differences } from "../hostile-paths/picture.ts";
import type { Grid, MatrixSize } from "./grid.ts";
import { stateOf } from "./state.ts";
import { type PeopleWorld, type PlaceName, type Who, places } from "./world.ts";

/** What makes a command change something, where its name alone would not. */
const args: Readonly<Record<string, string>> = {
  title: "Taken over",
  steer: "go on",
  goal: "take over",
  work: "pause",
  why: "inb_1",
  model: "another",
  reasoning: "high",
  runtime: "codex",
  "codex-runtime": "codex_app_server",
  approve: "0f3a9c",
  deny: "0f3a9c",
  resend: "obx_1",
  resume: "ses_",
  yolo: "on",
  tools: "disable terminal",
  record: "on",
  help: "new",
};

const lineOf = (name: string): string => `/${name} ${args[name] ?? ""}`.trim();

const everywhere = Object.keys(places) as PlaceName[];
const others = ["member", "guest", "stranger", "revoked", "bot"] as const;
export const commandColumns = (["owner", ...others] as const).flatMap((who) =>
  everywhere.map((place) => `${who} ${place}`),
);

/** Of those who get another answer in another place, or none, a few commands tell as much as all. */
const told = ["new", "resume", "deny", "status"];
const known = ["owner", "member"];
const isInSlice = (name: string, who: Who, place: PlaceName): boolean =>
  (known.includes(who) && place === "direct") ||
  (told.includes(name) && (place === "direct" || (place === "group" && who !== "member")));

/** Commands that there are, typed by everybody everywhere; `faults`: what those who are not the owner have changed by it. */
export async function commandMatrix(
  world: PeopleWorld,
  size: MatrixSize,
): Promise<{ grid: Grid; faults: readonly string[] }> {
  const grid: Grid = new Map(slashCommands.map(({ name }) => [`/${name}`, new Map<string, string>()]));
  const type = async (who: Who, place: PlaceName): Promise<void> => {
    for (const { name } of slashCommands) {
      if (size === "slice" && !isInSlice(name, who, place)) continue;
      const shown = await world.say(who, places[place](who), lineOf(name));
      const words = shown.map(({ text }) => text).join("\n");
      grid.get(`/${name}`)?.set(`${who} ${place}`, cellOf(words));
    }
  };
  const before = await stateOf(world);
  await Promise.all(others.flatMap((who) => everywhere.map((place) => type(who, place))));
  const faults = differences(before, await stateOf(world));
  await Promise.all(everywhere.map((place) => type("owner", place)));
  return { grid, faults };
}

/** As whoever typed it sees it. */
function cellOf(words: string): string {
  if (words === "") return ".";
  if (words.startsWith("I don't know you yet")) return "code";
  return /^\/\S+ is (?:for the owner(?: here| and members)? only|not available on)/.test(words) ? "-" : "yes";
}
