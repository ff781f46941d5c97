import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type NextTurnSetup, applyChoice, nextTurnSetup } from "../../commands/next-turn-setup.ts";
import { findCommand } from "../../commands/table.ts";
import { FaultError } from "../../core/faults.ts";
import { type Host, type Readiness, Refusal } from "../../core/host.ts";
import type { CommandReply, ChatState } from "../../core/chat-state.ts";

/** What an editor offers to choose for a session. The runtime is there twice: older editors know modes only. */
export type SettingsView = {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
};

type SettingsHost = Pick<Host, "choose" | "readiness" | "sessions" | "status">;

export async function settingsView(chatState: ChatState, host: SettingsHost): Promise<SettingsView> {
  const now = await nextTurnSetup(chatState, host);
  const runtime = now.runtime.value;
  const availableModes = runtimes.map((mode) => ({ ...mode }));
  return {
    modes: { currentModeId: runtime, availableModes },
    configOptions: [
      select("runtime", "Runtime", "mode", runtime, runtimes),
      select("model", "Model", "model", now.model.value, modelsOf(now, host)),
      ...effortOption(now, host),
    ],
  };
}

type Option = { readonly id: string; readonly name: string; readonly description?: string };

const runtimes: readonly Option[] = [
  { id: "loop", name: "Loop", description: "Talaria's own loop, on any model" },
  { id: "codex", name: "Codex", description: "The codex app-server, with its own tools and sandbox" },
];

const select = (
  id: string,
  name: string,
  category: string,
  currentValue: string,
  options: readonly Option[],
): SessionConfigOption => ({
  type: "select",
  id,
  name,
  category,
  currentValue,
  options: options.map(({ id: value, ...rest }) => ({ value, ...rest })),
});

function modelsOf({ model: { value } }: NextTurnSetup, host: SettingsHost): readonly Option[] {
  const { models } = host.status();
  return [...new Set([...models, value])].map((name) => ({ id: name, name }));
}

const noEffort = "default";

const efforts = (): readonly string[] => findCommand("reasoning")?.words ?? [];

/** The demo model does not think. A level, once chosen, can be changed but not be given up. */
function effortOption({ effort }: NextTurnSetup, host: SettingsHost): readonly SessionConfigOption[] {
  if (host.status().provider === "demo") return [];
  const levels = efforts().map((level): Option => ({ id: level, name: level }));
  const open: Option = { id: noEffort, name: "default", description: "As the provider decides" };
  const offered = effort === undefined ? [open, ...levels] : levels;
  return [select("effort", "Reasoning", "thought_level", effort?.value ?? noEffort, offered)];
}

/** What is chosen from now on, and what there is to know about it. Rejects when it cannot be, and nothing is changed. */
export type Chosen = Pick<CommandReply, "choices"> & { readonly warning?: string };

export async function chooseSetting(
  chatState: ChatState,
  host: SettingsHost,
  id: string,
  value: string,
): Promise<Chosen> {
  if (id === "runtime") return chooseRuntime(chatState, host, value);
  const { configOptions } = await settingsView(chatState, host);
  const option = configOptions.find((each) => each.id === id);
  if (option?.type !== "select")
    throw new Refusal("usage", `There is no setting "${id}".`, "Choose one of those that were offered.");
  if (!option.options.some((each) => "value" in each && each.value === value))
    throw new Refusal("usage", `"${value}" is not offered for ${option.name}.`, "Choose one that is.");
  if (value === option.currentValue) return {};
  return applyChoice(chatState, host, id === "model" ? { model: value } : { effort: value });
}

async function chooseRuntime(chatState: ChatState, host: SettingsHost, wanted: string): Promise<Chosen> {
  const { runtime: now } = await nextTurnSetup(chatState, host);
  if (wanted === now.value) return {};
  const ready: Readiness = await host.readiness(wanted);
  if (!ready.ok) throw new FaultError(ready.fault);
  const { warning } = ready;
  return {
    ...(await applyChoice(chatState, host, { runtime: wanted })),
    ...(warning === undefined ? {} : { warning }),
  };
}
