import {
  type Benefit,
  type Forgettable,
  type Forgetting,
  type Forgotten,
  type Learned,
  type ListedMemory,
  type ListedSkill,
  type Revision,
  learnedFileName,
} from "../../core/learning.ts";
import { clean, counted, short } from "../../core/plain-text.ts";
import { dayMs } from "../../core/usage.ts";
import { columns } from "./columns.ts";
import { minute } from "./time.ts";

/** How the commands about it begin: on a screen, and on the command line. */
export type LearnedPrefix = "/learned" | "talaria learned";

/** What waits for the person first, then what was learned. `since`: in words. */
export function learnedListText(
  pending: readonly Revision[],
  rows: readonly Revision[],
  since: string,
  prefix: LearnedPrefix,
): string {
  const done = rows.filter(({ state }) => state !== "proposed");
  const none = `Nothing was learned or changed ${since}.`;
  const further = prefix === "/learned" ? `${prefix} 90d` : `${prefix} --since 90d`;
  if (pending.length === 0 && done.length === 0)
    return `${none}\nWhat rests on your own words is learned as you go. ${further} looks further back; in a conversation, /memory shows what is remembered.`;
  return [
    ...(pending.length === 0 ? [] : ["Waits for you:", revisionRows(pending)]),
    done.length === 0 ? none : `Learned and changed ${since}:\n${revisionRows(done)}`,
    "",
    ...(pending.length === 0 ? [] : [`${prefix} approve ID accepts one, ${prefix} reject ID does not.`]),
    `${prefix} show ID shows what it changed and why, ${prefix} revert ID takes it back, ${prefix} forget TEXT removes every trace.`,
  ].join("\n");
}

const revisionRows = (rows: readonly Revision[]): string =>
  columns(
    rows.map((row) => [`  ${row.id}`, minute(row.at), row.by, stateWord(row), short(row.summary, 100)]),
  );

const stateWord = ({ state, reverts }: Revision): string =>
  state === "active" ? (reverts === undefined ? "" : "back") : stateWords[state];

const stateWords = {
  writing: "being written",
  proposed: "proposed",
  rejected: "rejected",
  failed: "did not happen",
} as const;

/** One of them: where it comes from, what it rests on, what it changes. */
export function revisionText(
  { diff, ...row }: Revision & { readonly diff: string },
  prefix: LearnedPrefix,
): string {
  const where = [
    ...(row.session === undefined ? [] : [`session ${row.session}`]),
    ...(row.turn === undefined ? [] : [`turn ${row.turn}`]),
  ].join(", ");
  const decided =
    row.decidedAt === undefined
      ? []
      : [
          `decided  ${minute(row.decidedAt)}${row.decidedBy === undefined ? "" : ` by ${short(row.decidedBy, 60)}`}`,
        ];
  return [
    `${row.id}  ${row.state === "active" ? "active" : stateWords[row.state]}  ${short(row.summary, 200)}`,
    `file     ${short(learnedFileName(row.file), 300)}`,
    `by       ${row.by}, ${minute(row.at)}${where === "" ? "" : `, in ${where}`}`,
    ...decided,
    ...(row.reverts === undefined ? [] : [`undoes   ${row.reverts}`]),
    `trusted  ${row.trusted ? "yes" : "no: it does not rest on your own words alone"}`,
    ...(row.why === undefined ? [] : [`why      ${short(row.why, 300)}`]),
    ...row.evidence.map((line) => `said     ${short(line, 300)}`),
    ...(diff === "" ? [nothingToShow(row)] : [clean(diff).trimEnd(), ...nextSteps(row, prefix)]),
  ].join("\n");
}

const nothingToShow = ({ change }: Revision): string =>
  change === null
    ? "(What it changed was forgotten.)"
    : "(It changed nothing: the file was like that already.)";

function nextSteps({ id, state }: Revision, prefix: LearnedPrefix): readonly string[] {
  if (state === "proposed") return [`${prefix} approve ${id} accepts it, ${prefix} reject ${id} does not.`];
  return state === "active" ? [`${prefix} revert ${id} takes it back.`] : [];
}

export const benefitText = (rows: readonly Benefit[]): string =>
  rows.length === 0
    ? "Nothing that was learned has been used yet."
    : columns(
        [
          ["used", "done", "failed", "calls with", "before", ""],
          ...rows.map((row) => [
            String(row.uses),
            String(row.done),
            String(row.failed),
            average(row.callsWith),
            average(row.callsBefore),
            `${row.kind}  ${short(row.name, 80)}`,
          ]),
        ],
        (column) => column < 5,
      ).replaceAll(/ +$/gm, "");

const average = (calls: number | undefined): string => (calls === undefined ? "?" : calls.toFixed(1));

/** What was removed, and what has it still. */
export function forgottenText({ files, revisions, left }: Forgotten): string {
  const isNothing = files.length === 0 && revisions === 0;
  return [
    isNothing
      ? "Nothing that was learned contains it."
      : `Forgotten: it is gone from ${counted(files.length, "file")} and from ${counted(revisions, "revision")}.`,
    ...files.map((file) => `  ${short(learnedFileName(file), 200)}`),
    ...leftLines(left),
  ].join("\n");
}

/** What a text would take along, and how it is done. */
export function forgettableText(
  { files, revisions }: Forgettable,
  text: string,
  prefix: LearnedPrefix,
): string {
  if (files.length === 0 && revisions === 0) return "Nothing that was learned contains it.";
  const rows = files.flatMap(({ file, gone, whole }) => [
    `  ${short(learnedFileName(file), 200)}${whole ? ", all of it" : ""}`,
    ...gone.map((line) => `    - ${short(line, 200)}`),
  ]);
  return [
    "This would go:",
    ...rows,
    `  what ${counted(revisions, "revision")} say${revisions === 1 ? "s" : ""} of it`,
    `Nothing was changed. ${prefix} forget --yes ${short(text, 200)} forgets it.`,
  ].join("\n");
}

/** What is out of the files now, until when it can come back, and what has it still. */
export function forgettingText({ files, revisions, left, until }: Forgetting, prefix: LearnedPrefix): string {
  if (files.length === 0 && revisions === 0) return forgottenText({ files, revisions, left });
  return [
    `Forgotten: it is out of ${counted(files.length, "file")}, and no model is told it any more.`,
    ...files.map((file) => `  ${short(learnedFileName(file), 200)}`),
    `Until ${minute(until)} ${prefix} unforget takes it back. After that it is gone for good, also from ${counted(revisions, "revision")}.`,
    ...leftLines(left),
  ].join("\n");
}

export const unforgottenText = ({ text, files, left }: Awaited<ReturnType<Learned["unforget"]>>): string =>
  [
    `Taken back: what has "${short(text, 80)}" is in ${counted(files.length, "file")} again.`,
    ...files.map((file) => `  ${short(learnedFileName(file), 200)}`),
    ...leftLines(left),
  ].join("\n");

const leftLines = (left: readonly string[]): readonly string[] =>
  left.length === 0 ? [] : ["What is left:", ...left.map((line) => `  ${short(line, 400)}`)];

/** Every file with its entries, how full it is, and how old they are. */
export function memoryText(files: readonly ListedMemory[], pending: number, now: number): string {
  const parts = files.map(({ file, chars, limit, entries }) => {
    const percent = Math.round((100 * chars) / Math.max(1, limit));
    const head = `${short(learnedFileName(file, "this project's"), 200)}: ${percent} % full (${chars} of ${limit} characters)`;
    const rows = entries.map(({ text, since, by, uses, leftOut }) => {
      const facts = [
        ...(since === undefined ? [] : [`${ageText(now - since)}, by ${by ?? "somebody"}`]),
        `used in ${counted(uses, "turn")}`,
        ...(leftOut === undefined ? [] : [`not told to models: ${short(leftOut, 80)}`]),
      ];
      return `  ${short(text, 300)}\n      ${facts.join("; ")}`;
    });
    return [head, ...(rows.length === 0 ? ["  nothing yet"] : rows)].join("\n");
  });
  return [
    ...(parts.length === 0 ? ["Memory is switched off (memory.enabled, memory.user_profile)."] : parts),
    pending === 0
      ? "Nothing waits for you. /learned shows how these came to be."
      : `${counted(pending, "change")} ${pending === 1 ? "waits" : "wait"} for you: /learned shows ${pending === 1 ? "it" : "them"}.`,
  ].join("\n");
}

export function ageText(ms: number): string {
  if (ms < dayMs) return "today";
  return `${counted(Math.floor(ms / dayMs), "day")} old`;
}

export const noSkills =
  "There are no skills yet. They come from reviews, from you (a SKILL.md in a folder of `skills` in Talaria's home), or from a project that you trust.";

/** All skills, one line each; below them what looks like one and is not used, with the reason. */
export function skillsText(skills: readonly ListedSkill[], now: number): string {
  const broken = skills.filter(({ state }) => state === "broken");
  const usable = skills.filter(({ state }) => state !== "broken");
  return [
    ...(usable.length === 0 ? [noSkills] : [skillRows(usable, now)]),
    ...(skills.some(({ state }) => state === "untrusted")
      ? ["Skills of this project are not used until you trust them: talaria skills trust"]
      : []),
    ...(broken.length === 0 ? [] : ["Not used:"]),
    ...broken.map(({ path, description }) => `  ${short(path, 200)}: ${short(description, 300)}`),
  ].join("\n");
}

function skillRows(skills: readonly ListedSkill[], now: number): string {
  const rows = skills.map((skill) => [
    skill.name,
    skill.source,
    skill.by,
    `${skill.state}${skill.pinned ? ", pinned" : ""}`,
    skill.uses === 0
      ? "never used"
      : `${counted(skill.uses, "use")}${skill.lastUse === undefined ? "" : `, last ${agoText(now - skill.lastUse)}`}`,
    short(skill.description, 80),
  ]);
  return columns([["skill", "source", "by", "state", "uses", ""], ...rows]).replaceAll(/ +$/gm, "");
}

const agoText = (ms: number): string =>
  ms < dayMs ? "today" : `${counted(Math.floor(ms / dayMs), "day")} ago`;
