import { resolve } from "node:path";
import { skillsText } from "../../operations/text/learned-text.ts";
import { Refusal } from "../../core/host.ts";
import type { ListedSkill } from "../../core/learning.ts";
import { clean, counted, short } from "../../core/plain-text.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Action, Actions } from "./action.ts";
import { usage } from "./failure.ts";

const list: Action = async (client, { words, ports: { cwd } }) => {
  if (words.length > 0)
    throw usage(
      `talaria skills has no command "${short(words.join(" "), 40)}".`,
      "`talaria skills show NAME` shows one skill; `talaria skills --help` lists all.",
    );
  const rows = await client.call("skills.list", { cwd });
  return { text: skillsText(rows, systemClock.now()), rows };
};

const show: Action = async (client, { words: [name = ""], ports: { cwd } }) => {
  const skill = (await client.call("skills.list", { cwd })).find((one) => one.name === name);
  const text = await client.call("skills.read", { name, cwd });
  if (skill === undefined)
    throw new Refusal("not_found", `There is no skill "${short(name, 64)}".`, "`talaria skills` lists them.");
  const { source, by, state, path, uses } = skill;
  const head = `${name}: ${state}, from ${source}, made by ${by}, ${counted(uses, "use")}\n${clean(path)}`;
  const body = text === null ? `(${short(whyNot(skill), 500)})` : clean(text);
  return { text: `${head}\n\n${body}`, rows: [{ ...skill, ...(text === null ? {} : { text }) }] };
};

function whyNot({ state, description }: ListedSkill): string {
  if (state === "untrusted") return "It is not used until you trust it: talaria skills trust";
  if (state === "archived")
    return "It is archived: nobody used it. `talaria learned` has the change that can be taken back.";
  return `It cannot be used here now: ${description}.`;
}

const trust: Action = async (client, { words: [folder = "."], ports: { cwd } }) => {
  const rows = await client.call("skills.trust", { folder: resolve(cwd, folder) });
  const names = rows.map(({ name, description }) => `  ${name}: ${short(description, 100)}`);
  const what = `From now on these are used as they are now. If a file of theirs changes, you are asked again:`;
  return { text: [what, ...names].join("\n"), rows };
};

const untrust: Action = async (client, { words: [folder = "."], ports: { cwd } }) => {
  const project = await client.call("skills.distrust", { folder: resolve(cwd, folder) });
  return { text: `The skills of ${project} are not used any more.`, rows: [{ project }] };
};

const pinning =
  (pinned: boolean): Action =>
  async (client, { words: [name = ""] }) => {
    await client.call("skills.pin", { name, pinned });
    const text = pinned
      ? `${short(name, 64)} is pinned: nobody but you changes, deletes or archives it.`
      : `${short(name, 64)} is not pinned any more.`;
    return { text, rows: [{ skill: name, pinned }] };
  };

const said = (lines: readonly string[]) => ({
  text: clean(lines.join("\n")),
  rows: lines.map((line) => ({ line })),
});

/** `talaria skills …`. */
export const actions: Actions = {
  list,
  show,
  trust,
  untrust,
  pin: pinning(true),
  unpin: pinning(false),
  curate: async (client, { options }) =>
    said(await client.call("skills.curate", { dryRun: options["dryRun"] === true })),
  rollback: async (client) => said(await client.call("skills.uncurate", {})),
};
