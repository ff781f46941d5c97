import { readFileSync } from "node:fs";
import type { Question } from "../../core/asking.ts";
import type { PolicySettings, Situation } from "./policy.ts";

/** Where all commands of the corpora run. */
export const home = "/home/ada";
export const cwd = "/home/ada/work/app";

export const settings: PolicySettings = {
  mode: "manual",
  securityMode: "auto",
  deny: [],
  guarded: [
    `${home}/.talaria/config.yaml`,
    `${home}/.talaria/.env`,
    `${home}/.talaria/talaria.db`,
    `${home}/.talaria/run`,
    `${home}/.codex/auth.json`,
    `${home}/.codex/config.toml`,
  ],
  home,
};

export const owner: Situation = {
  from: { role: "owner", local: true },
  audience: "owner",
  attended: "ask",
};

export function commandQuestion(
  command: string,
  fence: "sandbox" | "none" | "unknown" = "sandbox",
): Question {
  return {
    tool: "terminal",
    args: { command },
    cwd,
    effect: "local",
    action: { kind: "command", command, fence },
    summary: command,
  };
}

/** The commands of one file under test/fixtures/approvals; its README says how they are written. */
export function corpus(name: "bypasses" | "unseen" | "floor" | "harmless"): readonly string[] {
  const url = new URL(`../../../test/fixtures/approvals/${name}.txt`, import.meta.url);
  return readFileSync(url, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map(decoded);
}

const decoded = (line: string): string =>
  line
    .replaceAll("␊", "\n")
    .replaceAll("␉", "\t")
    .replaceAll("␍", "\r")
    .replaceAll("␀", "\0")
    .replace(/⟦([0-9A-F]+)⟧/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
