import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk";
import { type NextTurnSetup, applyChoice, nextTurnSetup } from "../../operations/chat/next-turn-setup.ts";
import { findSlash } from "../../operations/slash.ts";
import { FaultError } from "../../core/faults.ts";
import type { Client } from "../../core/calls.ts";
import { type HostStatus, type Readiness, Refusal } from "../../core/host.ts";
import type { CommandReply, ChatState } from "../../core/chat-state.ts";

/** What an editor offers to choose for a session. The runtime is there twice: older editors know modes only. */
export type SettingsView = {
  readonly modes: SessionModeState;
  readonly configOptions: SessionConfigOption[];
};

/** `setup`: if somebody has looked already. */
export async function settingsView(
  chatState: ChatState,
  host: Client,
  setup?: NextTurnSetup,
): Promise<SettingsView> {
  const status = await host.call("host.status", {});
  const now = setup ?? (await nextTurnSetup(chatState, host));
  const runtime = now.runtime.value;
  const availableModes = runtimes.map((mode) => ({ ...mode }));
  return {
    modes: { currentModeId: runtime, availableModes },
    configOptions: [
      select("runtime", "Runtime", "mode", runtime, runtimes),
      select("model", "Model", "model", now.model.value, modelsOf(now, status)),
      ...effortOption(now, status),
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

function modelsOf({ model: { value } }: NextTurnSetup, { models }: HostStatus): readonly Option[] {
  return [...new Set([...models, value])].map((name) => ({ id: name, name }));
}

const noEffort = "default";

const efforts = (): readonly string[] => findSlash("reasoning")?.words ?? [];

/** The demo model does not think. A level, once chosen, can be changed but not be given up. */
function effortOption({ effort }: NextTurnSetup, { provider }: HostStatus): readonly SessionConfigOption[] {
  if (provider === "demo") return [];
  const levels = efforts().map((level): Option => ({ id: level, name: level }));
  const open: Option = { id: noEffort, name: "default", description: "As the provider decides" };
  const offered = effort === undefined ? [open, ...levels] : levels;
  return [select("effort", "Reasoning", "thought_level", effort?.value ?? noEffort, offered)];
}

/** What is chosen from now on, and what there is to know about it. Rejects when it cannot be, and nothing is changed. */
export type Chosen = Pick<CommandReply, "choices"> & { readonly warning?: string };

export async function chooseSetting(
  chatState: ChatState,
  host: Client,
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

async function chooseRuntime(chatState: ChatState, host: Client, wanted: string): Promise<Chosen> {
  const { runtime: now } = await nextTurnSetup(chatState, host);
  if (wanted === now.value) return {};
  const ready: Readiness = await host.call("runtime.readiness", { runtime: wanted });
  if (!ready.ok) throw new FaultError(ready.fault);
  const { warning } = ready;
  return {
    ...(await applyChoice(chatState, host, { runtime: wanted })),
    ...(warning === undefined ? {} : { warning }),
  };
}
