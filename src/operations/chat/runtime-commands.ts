import type { CommandReply } from "../../core/chat-state.ts";
import { type Run, type CommandCall } from "./command.ts";
import { short } from "../../core/plain-text.ts";
import { notReadyText, nextTurnLines } from "../text/runtime-text.ts";
import { type ChosenValue, applyChoice, nextTurnSetup } from "./next-turn-setup.ts";
import { noSuchRuntime } from "../../core/text/no-such-runtime.ts";

const runtimes = ["loop", "codex"] as const;

export const runtime: Run = async (arg, call, client) => {
  const { runtime: now } = await nextTurnSetup(call, client);
  if (arg === "") return showRuntime(now);
  const wanted = runtimes.find((name) => name === arg.toLowerCase());
  if (wanted === undefined) {
    const { message, next } = noSuchRuntime(arg, runtimes);
    return { text: `${message} ${next}` };
  }
  if (wanted === now.value) return { text: `This session runs on ${wanted} already. Nothing was changed.` };
  const ready = await client.call("runtime.readiness", { runtime: wanted });
  if (!ready.ok && wanted === "codex") return { text: notReadyText(ready.fault) };
  const applied = await applyChoice(call, client, { runtime: wanted });
  return {
    text: [switched(wanted, call), ...nextTurnLines(ready), ...recordLines(wanted, call)].join("\n"),
    ...applied,
  };
};

function showRuntime({ value, from }: ChosenValue): CommandReply {
  return {
    text: `This session runs on ${short(value, 40)}, ${from}. /runtime loop or /runtime codex changes it.`,
    choose: {
      title: `What runs the turns of this session (now ${short(value, 40)})`,
      command: "/runtime",
      options: [
        { value: "loop", label: "loop", detail: "Talaria's own" },
        { value: "codex", label: "codex", detail: "codex app-server" },
      ],
    },
  };
}

function switched(wanted: string, { session }: CommandCall): string {
  if (session === undefined) return `The session that your next message begins runs on ${wanted}.`;
  return `From the next turn on this session runs on ${wanted}. What was said is carried over; its prompt cache is cold once, so that turn costs more.`;
}

const recordLines = (wanted: string, { choices }: CommandCall): readonly string[] =>
  wanted === "loop" && choices.record === true
    ? ["Recording is on, but only turns on codex are recorded."]
    : [];
