import { migrationText } from "../../operations/text/migration-text.ts";
import type { Action, Actions } from "./action.ts";
import { usage } from "./failure.ts";

/** `talaria config …`. */
export const config: Actions = {
  path: async (client) => ({ text: await client.call("config.path", {}) }),
  async get(client, { words: [key = ""] }) {
    const found = await client.call("config.get", { key });
    if (found === null) throw usage(`${key} is not set.`, `Set it: talaria config set ${key} VALUE`);
    return { text: found };
  },
  async set(client, { words: [key = "", value = ""] }) {
    const warnings = await client.call("config.set", { key, value });
    const file = await client.call("config.path", {});
    return { text: `${key} is now ${value}, in ${file}. It applies from the next start.`, warnings };
  },
  async unset(client, { words: [key = ""] }) {
    const file = await client.call("config.path", {});
    if (!(await client.call("config.unset", { key }))) throw usage(`${key} is not set in ${file}.`);
    return { text: `${key} is no longer set in ${file}.` };
  },
};

/** `talaria profile …`. */
export const profile: Actions = {
  list: async (client) => ({ text: (await client.call("profiles.list", {})).join("\n") }),
  async create(client, { words: [name = ""] }) {
    const home = await client.call("profiles.create", { name });
    return { text: `The profile ${name} is in ${home}. Use it: talaria -p ${name}` };
  },
};

/** The slash command for a shell. */
const defaultRuntime =
  (wanted: "" | "on" | "off"): Action =>
  async (client, { ports: { cwd } }) => {
    const chat = { surface: "cli", cwd, choices: {}, attended: "none" } as const;
    const { runtime: before } = await client.call("host.status", {});
    const reply = await client.call("chat.command", { line: `/codex-runtime ${wanted}`, chat });
    const text = reply.text.replaceAll("/codex-runtime ", "talaria codex-runtime ");
    const { runtime } = await client.call("host.status", {});
    const isDone = wanted === "" || runtime === (wanted === "on" ? "codex" : "loop");
    const rows = [{ default: runtime, changed: runtime !== before, text }];
    return { text, rows, code: isDone ? 0 : 1 };
  };

/** `talaria codex-runtime …`. */
export const codexRuntime: Actions = {
  status: defaultRuntime(""),
  on: defaultRuntime("on"),
  off: defaultRuntime("off"),
  async migrate(client, { options }) {
    const [dryRun, remove] = [options["dryRun"] === true, options["remove"] === true];
    const report = await client.call("codex.migrate", { dryRun, remove });
    const text = migrationText(report, { dryRun, remove });
    return { text, rows: [{ dryRun, ...report }], warnings: report.warnings };
  },
};
