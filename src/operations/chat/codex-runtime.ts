import type { Client } from "../../core/calls.ts";
import { toFailure } from "../../core/failure.ts";
import type { Readiness } from "../../core/host.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import { columns } from "../text/columns.ts";
import { type Run, type CommandCall } from "./command.ts";
import { short } from "../../core/plain-text.ts";
import { tryMigration } from "../text/migration-text.ts";
import { errorText } from "../text/error-text.ts";
import { notReadyText, readyLines, nextTurnLines } from "../text/runtime-text.ts";
import { type NextTurnSetup, applyChoice, nextTurnSetup } from "./next-turn-setup.ts";

type RuntimeName = "loop" | "codex";

const meanings: Readonly<Record<RuntimeName, readonly string[]>> = {
  codex: ["codex_app_server", "on", "codex", "enable"],
  loop: ["auto", "off", "default", "disable", "loop"],
};

/** The default of all sessions and this one. Asks once in each call whether the runtime can be used. */
export const codexRuntime: Run = async (arg, call, client) => {
  const asked = arg.toLowerCase();
  if (asked === "" || asked === "status")
    return await show(
      await client.call("runtime.readiness", { runtime: "codex" }),
      await nextTurnSetup(call, client),
      client,
    );
  const wanted = (["codex", "loop"] as const).find((name) => meanings[name].includes(asked));
  if (wanted === undefined) return { text: choicesText(arg) };
  return await change(wanted, await client.call("runtime.readiness", { runtime: wanted }), call, client);
};

const choicesText = (arg: string): string =>
  `"${short(arg, 40)}" is not a choice. Codex: ${meanings.codex.join(", ")}. The loop: ${meanings.loop.join(", ")}. Without an argument it shows what is.`;

async function show(
  ready: Readiness,
  { session, runtime }: NextTurnSetup,
  client: Client,
): Promise<CommandReply> {
  const { runtime: defaultRuntime, runtimeSetting: setting } = await client.call("host.status", {});
  const rows = [
    ["default", `${setting === "codex" ? "codex_app_server" : "auto"} (turns run on ${defaultRuntime})`],
    [session === undefined ? "next session" : "this session", `${runtime.value}, ${runtime.from}`],
    ["codex", ready.ok ? readyLines(ready).join("; ") : `cannot be used: ${ready.fault.message}`],
    ...(ready.ok ? await pluginRows(client) : []),
  ];
  const next = ready.ok ? "/codex-runtime on or off changes the first two." : `→ ${ready.fault.next}`;
  return { text: `${columns(rows)}\n${next}` };
}

/** Their skills and tools are in every turn of codex. The demo's codex has a home of its own, without any. */
async function pluginRows(client: Client): Promise<readonly (readonly string[])[]> {
  if ((await client.call("host.status", {})).provider === "demo") return [];
  try {
    const active = await client.call("codex.plugins", {});
    return active.length === 0 ? [] : [["plugins", active.join(", ")]];
  } catch (error) {
    return [["plugins", `codex could not be asked: ${errorText(error)}`]];
  }
}

async function change(
  wanted: RuntimeName,
  ready: Readiness,
  call: CommandCall,
  client: Client,
): Promise<CommandReply> {
  const now = await nextTurnSetup(call, client);
  const before = (await client.call("host.status", {})).runtimeSetting;
  if (before === wanted && now.runtime.value === wanted) {
    const again = wanted === "codex" && ready.ok ? await migrationLines(client) : [];
    return { text: [alreadyText(wanted, ready, call), ...again].join("\n") };
  }
  // Switching off must always work: what the loop lacks is only reported.
  if (!ready.ok && wanted === "codex") return { text: notReadyText(ready.fault) };
  try {
    if (before !== wanted) await client.call("runtime.setDefault", { runtime: wanted });
  } catch (error) {
    const { message, next } = toFailure(error);
    const why = message.replace(/ Nothing was changed\.$/, "");
    return { text: `The default could not be saved: ${why} Nothing was changed.\n→ ${next}` };
  }
  try {
    const applied = await followDefault(wanted, call, client);
    const migrated = wanted === "codex" ? await migrationLines(client) : [];
    const lines = [...doneLines(wanted, before, call), ...nextTurnLines(ready), ...migrated];
    return { text: lines.join("\n"), ...applied };
  } catch (error) {
    return { text: partlyDoneText(wanted, before, now, error) };
  }
}

/** Stock codex gets the person's servers, too. The demo's codex has a home of its own, and theirs is left alone. */
async function migrationLines(client: Client): Promise<readonly string[]> {
  if ((await client.call("host.status", {})).provider === "demo") return [];
  const text = await tryMigration(client);
  return text === "" ? [] : [text];
}

function alreadyText(wanted: RuntimeName, ready: Readiness, { session }: CommandCall): string {
  const also = session === undefined ? "" : " and runs this session";
  const text = `${wanted} is the default already${also}. Nothing was changed.`;
  return ready.ok ? text : [text, ...nextTurnLines(ready)].join("\n");
}

/** A session that begins with the next message takes the default, unless something else was chosen for it. */
async function followDefault(
  runtime: RuntimeName,
  call: CommandCall,
  client: Client,
): Promise<Pick<CommandReply, "choices">> {
  if (call.session === undefined && call.choices.runtime === undefined) return {};
  return await applyChoice(call, client, { runtime });
}

function doneLines(wanted: RuntimeName, before: string, { session }: CommandCall): readonly string[] {
  const defaultText =
    before === wanted ? `The default was ${wanted} already.` : `The default is ${wanted} now.`;
  if (session === undefined) return [`${defaultText} Your next message begins a session on ${wanted}.`];
  return [
    `${defaultText} This conversation runs on ${wanted} from its next turn on, and its history is carried over.`,
    "Other open sessions keep their runtime. The prompt cache starts cold, so the next turn costs more than usual.",
  ];
}

/** The default was saved, but the session could not be told: what holds now, exactly. */
function partlyDoneText(
  wanted: RuntimeName,
  before: string,
  { runtime }: NextTurnSetup,
  error: unknown,
): string {
  const defaultText =
    before === wanted ? `The default was ${wanted} already` : `The default is ${wanted} now, and saved`;
  const again = runtime.value === wanted ? "." : `; /runtime ${wanted} tries again.`;
  return `${defaultText}. The choice could not be written to this session: ${errorText(error)}\nThis session stays on ${runtime.value}${again}`;
}
