import type { Question, SideEffect } from "../../core/asking.ts";
import type { Attended } from "../../core/host.ts";
import { type Audience, type Role, audiences, belongsTo, roles } from "../../core/principal.ts";
import { mayHaveTool, whyNotOn } from "./audience-rules.ts";
import { commandQuestion, cwd, settings as usual } from "./corpus.suite.ts";
import { type PolicySettings, type Situation, type Verdict, judge } from "./policy.ts";

/** One call of one tool, as the policy is asked about it. */
export type Call = { readonly tool: string; readonly question: Question };

const call = (tool: string, effect: SideEffect): Call => ({
  tool,
  question: { tool, args: {}, cwd, effect, action: { kind: "tool" }, summary: tool },
});
const write = (path: string): Call => {
  const action = { kind: "change", changes: [{ path, kind: "update" }] } as const;
  return { tool: "write_file", question: { ...call("write_file", "local").question, action } };
};
const run = (command: string, fence: "sandbox" | "none"): Call => ({
  tool: "terminal",
  question: commandQuestion(command, fence),
});

/** What there is to call, one of each kind. */
export const calls: Readonly<Record<string, Call>> = {
  ask: call("clarify", "none"),
  search: call("web_search", "none"),
  page: call("web_extract", "external"),
  past: call("session_search", "none"),
  memory: call("memory", "none"),
  skill: call("skill_view", "none"),
  read: call("read_file", "none"),
  write: write(`${cwd}/a.ts`),
  "write out": write("/home/ada/other/a.ts"),
  run: run("npm test", "sandbox"),
  "run out": run("npm test", "none"),
  secrets: run("cat ~/.ssh/id_ed25519", "sandbox"),
  "rm -rf": run("rm -rf src", "sandbox"),
  "rm /": run("rm -rf /", "sandbox"),
  server: call("mcp__crm__add", "external"),
  deletes: call("mcp__crm__delete", "destructive"),
};

export const places = [true, false] as const;
export const attendances: readonly Attended[] = ["ask", "yolo", "all", "none"];

/** `-`: there is no such tool in the session. */
export function decided(
  { tool, question }: Call,
  situation: Situation,
  settings: PolicySettings = usual,
): Verdict | "-" {
  return mayHaveTool(situation.audience, tool) ? judge(question, situation, settings) : "-";
}

function cell(verdict: Verdict | "-"): string {
  if (verdict === "-" || verdict.verdict === "allow") return verdict === "-" ? "-" : "yes";
  if (verdict.verdict === "deny") return verdict.why === "not_asked" ? "not" : "no";
  if (verdict.choices.includes("always")) return "ask+";
  return verdict.choices.includes("session") ? "ask" : "ask1";
}

function row(role: Role, local: boolean, audience: Audience, attended: Attended): readonly string[] {
  const head = [role, local ? "here" : "away", audience, attended];
  const codex = whyNotOn(audience, "codex", usual) === undefined ? "yes" : "no";
  const situation = { from: { role, local }, audience, attended };
  return [...head, codex, ...Object.values(calls).map((each) => cell(decided(each, situation)))];
}

const legend = `What each may do, on whatever surface: it has no say in it. The commands are those of the loop.
-     the session has no such tool
yes   it is done
ask+  the owner is asked, and can say yes once, for the session or for good
ask   the owner is asked, and can say yes once or for the session
ask1  the owner is asked, and can say yes once
not   nobody is there to ask, so it is not done unless it was allowed for good
no    it is not done, whoever is there
`;

/** Everything, one line for each situation, in columns. */
export function rightsTable(): string {
  const heads = ["who", "where", "session", "attended", "codex", ...Object.keys(calls)];
  const rows = audiences.flatMap((audience) =>
    roles.flatMap((role) => {
      if (!belongsTo(audience, role)) return [[role, "", audience, "", "takes no input from them"]];
      return places.flatMap((local) => attendances.map((attended) => row(role, local, audience, attended)));
    }),
  );
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.filter(({ length }) => length > 5).map((each) => each[at]!.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((text, at) => text.padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
  return `${legend}\n${[heads, ...rows].map(line).join("\n")}\n`;
}
