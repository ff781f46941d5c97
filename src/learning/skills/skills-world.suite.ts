import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testStores } from "../../../test/stores.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { asId } from "../../core/ids.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { fileSwapper } from "../../lib/files/swap-file.ts";
import type { Store } from "../../store/store.ts";
import { toolBox } from "../../tools/registry.ts";
import type { Tool, TurnContext, ToolResult } from "../../tools/tool.ts";
import { learnedFiles } from "../files/learned-files.ts";
import type { LearnedFiles, WriteRule } from "../index.ts";
import { seenSkills } from "./seen-skills.ts";
import { redoSkill } from "./skill-change.ts";
import { skillManageTool } from "./skill-manage-tool.ts";
import { skillViewTool } from "./skill-view-tool.ts";
import { skillsListTool } from "./skills-list-tool.ts";
import { type Skills, openSkills } from "./skills.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

export const session = asId<"ses">("ses_0000000001");
export const turn = asId<"trn">("trn_0000000001");

/** A home, an external folder and a project, each with skills, and the tools over them. */
export type SkillsWorld = AsyncDisposable & {
  readonly top: string;
  readonly home: string;
  readonly external: string;
  readonly project: string;
  readonly store: Store;
  readonly skills: Skills;
  readonly files: LearnedFiles;
  /** What the person has said: a text that has it in it is grounded. */
  said: string;
  rule: WriteRule;
  readonly toolNames: Set<string>;
  save(path: string, text: string): Promise<void>;
  text(path: string): Promise<string | undefined>;
  call(tool: "skills_list" | "skill_view" | "skill_manage", args: object): Promise<ToolResult>;
  /** Every file below the top that is not of the store, with its text. */
  tree(below?: string): Promise<Readonly<Record<string, string>>>;
};

export const skillText = (
  name: string,
  description = `Does ${name}`,
  body = "Step one.",
  more = "",
): string => `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}\n`;

export async function skillsWorld(): Promise<SkillsWorld> {
  await using parts = new AsyncDisposableStack();
  const { path: top } = parts.use(await tempFolder());
  const [home, external, project] = ["home", "external", "project"].map((name) => join(top, name));
  if (home === undefined || external === undefined || project === undefined) throw new Error("no folders");
  for (const folder of [join(home, "skills"), external, project]) await mkdir(folder, { recursive: true });
  const store = await parts.use(await testStores(top)).open();
  await beginTurn(store, project);
  const toolNames = new Set(["terminal"]);
  const sources = {
    home: join(home, "skills"),
    external: [external],
    projectOf: async () => project,
    tools: async () => toolNames,
    meta: store.meta,
    platform: "linux" as const,
  };
  const skills = openSkills(sources);
  const files = learnedFiles({
    home,
    revisions: store.revisions,
    redo: { memory: () => undefined, skill: redoSkill },
    clock: systemClock,
    swap: fileSwapper({ PATH: "" }, systemClock),
    log: () => {},
  });
  const it = { said: "", rule: { by: "agent", mode: "auto" } as WriteRule };
  const shared = {
    root: sources.home,
    skills,
    files,
    seen: seenSkills(),
    revisions: store.revisions,
    uses: store.learnedUses,
    ruleOf: () => it.rule,
    provenanceOf: async (_: unknown, text: string) => {
      const trusted = it.said !== "" && text.split("\n").every((line) => it.said.includes(line));
      return { trusted, evidence: trusted ? [it.said] : [] };
    },
    suspicion: (text: string) => (text.includes("ignore previous") ? "it tries to steer" : undefined),
  };
  const tools = [skillsListTool(skills), skillViewTool(shared), skillManageTool(shared)] as readonly Tool[];
  const box = toolBox(tools, contextIn(project, systemClock));
  const kept = parts.move();
  return Object.assign(it, {
    top,
    home,
    external,
    project,
    store,
    skills,
    files,
    toolNames,
    save: async (path: string, text: string) => {
      await mkdir(dirname(join(top, path)), { recursive: true });
      await writeFile(join(top, path), text);
    },
    text: (path: string) => readFile(join(top, path), "utf8").catch(() => undefined),
    call: (tool: string, args: object) => box.call(tool, args, new AbortController().signal),
    tree: (below = "") => treeOf(join(top, below)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  });
}

async function beginTurn(store: Store, cwd: string): Promise<void> {
  const owner = { host: "here", pid: 1, startTime: "1" };
  const key = { surface: "cli", account: "", chat: "", messageId: "1" };
  const begins = { id: session, cwd, surface: "cli", audience: "owner" as const };
  const input = [{ type: "text" as const, text: "hello" }];
  await store.turns.begin(
    { owner, isGone: () => false },
    { id: asId<"inb">("inb_0000000001"), key, from: ownersTurn.from, session: begins, input, at: 1 },
    { id: turn, runtime: "loop" },
  );
}

const contextIn = (cwd: string, clock: Clock): TurnContext => ({
  session,
  turn,
  ...ownersTurn,
  cwd,
  clock,
  ask: async () => ({ choice: "deny", why: "not_asked" }),
  inquire: async () => undefined,
});

async function treeOf(top: string): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(top, { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile() && !/^talaria\.db|\.lock$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.toSorted().map(async (file) => [file, await readFile(file, "utf8")]));
  return Object.fromEntries(texts) as Readonly<Record<string, string>>;
}
