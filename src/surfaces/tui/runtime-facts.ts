import { chatAdvice } from "../../core/advice.ts";
import type { Client } from "../../core/calls.ts";
import type { Readiness } from "../../core/host.ts";
import type { ChatState } from "../../core/chat-state.ts";
import type { Screen } from "./screen.ts";

/** What runs here, for the banner. The version of codex and the tools come a moment later. Gives what codex said of itself. */
export async function showBanner(
  host: Client,
  screen: Pick<Screen, "banner" | "view">,
  cwd: string,
  chatState: ChatState,
): Promise<Readiness | undefined> {
  const status = await host.call("host.status", {});
  const { version, model, provider, profile, display, warnings } = status;
  const { runtime } = await currentRuntime(host, chatState);
  screen.view.reasoning(display.reasoning);
  const facts = { version, model, provider, runtime, profile, cwd, warnings };
  screen.banner(facts);
  const asked = runtime === "codex" ? host.call("runtime.readiness", { runtime: "codex" }) : undefined;
  const [ready, tools] = await Promise.all([asked, host.call("tools.list", {})]);
  const codexVersion = ready?.ok === true ? ready.version : undefined;
  const faults = ready?.ok === false ? [`${ready.fault.message} ${chatAdvice(ready.fault.next)}`] : [];
  const cautions = ready?.ok === true && ready.warning !== undefined ? [ready.warning] : [];
  screen.banner({
    ...facts,
    ...(codexVersion === undefined ? {} : { codexVersion }),
    // Those of boards are for sessions that work on a card, or hand cards out.
    tools: tools.filter(({ unavailable, toolset }) => unavailable === undefined && toolset !== "kanban")
      .length,
    warnings: [...warnings, ...faults, ...cautions],
  });
  return ready;
}

/** What the next turn would run on, for the status line. `codex`: what it just said of itself, if it was asked. */
export async function showChoices(
  host: Client,
  screen: Pick<Screen, "status">,
  chatState: ChatState,
  codex?: Readiness,
): Promise<void> {
  const { choices, attended } = chatState;
  const { model } = await host.call("host.status", {});
  const { row, runtime: now } = await currentRuntime(host, chatState);
  const ready =
    now === "codex" ? (codex ?? (await host.call("runtime.readiness", { runtime: "codex" }))) : undefined;
  // A runtime may answer with another model than the settings name: codex has its own default.
  const turns = row === undefined ? [] : await host.call("sessions.turns", { session: row.id, last: 20 });
  const answered = turns.findLast((turn) => turn.runtime === now)?.model;
  screen.status({
    model: row?.model ?? choices.model ?? answered ?? model,
    runtime: now,
    codexVersion: ready?.ok === true ? ready.version : undefined,
    yolo: attended === "yolo",
    recording: choices.record === true,
  });
}

/** A session keeps its runtime, whatever the default has become. */
async function currentRuntime(host: Client, { session, choices }: ChatState) {
  const { runtime, knownRuntime } = await host.call("host.status", {});
  const row = session === undefined ? undefined : await host.call("sessions.get", { session });
  return { row, runtime: row === undefined ? (choices.runtime ?? runtime) : (row.runtime ?? knownRuntime) };
}
