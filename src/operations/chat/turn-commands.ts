import type { Client } from "../../core/calls.ts";
import type { Undone } from "../../core/host.ts";
import type { StoredInput } from "../../core/session.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import { type InputPart, messageText, userMessage } from "../../core/messages.ts";
import { type Run, type CommandCall } from "./command.ts";
import { parseCount } from "./arguments.ts";
import { clean, counted, short } from "../../core/plain-text.ts";
import { minute } from "../text/time.ts";

export const retry: Run = async (_arg, { session }, client) => {
  const undone = session === undefined ? undefined : await client.call("turns.undo", { session, turns: 1 });
  const last = undone?.turns.at(-1);
  if (undone === undefined || last === undefined)
    return { text: "There is nothing to try again: nothing has been said yet." };
  return {
    text: `Again: ${wordsOf(last.input)}\n${whatStays(undone)}`,
    send: { input: last.input, whenBusy: "queue" },
  };
};

export const undo: Run = async (arg, { session }, client) => {
  if (session === undefined) return { text: "There is nothing to undo: nothing has been said yet." };
  if (["back", "redo"].includes(arg.toLowerCase()))
    return { text: backText(await client.call("turns.redo", { session })) };
  const turns = parseCount(arg, 1, 1000);
  if (turns === undefined) return { text: "/undo takes a number of turns, or back." };
  return { text: undoneText(await client.call("turns.undo", { session, turns })) };
};

function undoneText(undone: Undone): string {
  const [first] = undone.turns;
  if (first === undefined) return "There is nothing left to undo.";
  return [
    `Left out of the conversation: ${counted(undone.turns.length, "turn")}, from "${wordsOf(first.input)}" on.`,
    `${whatStays(undone)} /undo back takes it in again, until something else is said.`,
  ].join("\n");
}

function backText({ turns: [first, ...more] }: Undone): string {
  if (first === undefined) return "There is nothing to take back in.";
  return `Back in the conversation: ${counted(more.length + 1, "turn")}, from "${wordsOf(first.input)}" on.`;
}

function whatStays({ changes }: Undone): string {
  if (changes === 0) return "What was done outside the conversation stays done.";
  return `${counted(changes, "changed file")} ${changes === 1 ? "stays as it is" : "stay as they are"}, like all that was done outside the conversation.`;
}

export const stop: Run = async (_arg, { session }, client) => {
  if (session === undefined) return { text: "Nothing runs." };
  const { interrupted, answered, setAside, ended } = await client.call("turns.stop", { session });
  if (!interrupted && setAside + ended.length === 0) return { text: "Nothing runs, and nothing waits." };
  const waited =
    setAside === 0
      ? []
      : [
          `Set aside: ${counted(setAside, "message")} that waited; kept, and not run by itself. /queue shows, sends and drops them.`,
        ];
  const first = interrupted ? "Stopped; what was finished is kept." : "Nothing ran.";
  const rest = [...waited, ...ended.map(({ command }) => `Ended: ${short(command, 100)}`)];
  return {
    text: [first, ...rest].join("\n"),
    ...(interrupted && answered !== undefined ? { heard: { in: answered, rest: rest.join("\n") } } : {}),
  };
};

export const queue: Run = async (arg, call, client) => {
  const about = /^(send|drop)\s+(\d{1,4}|all)$/i.exec(arg);
  if (about !== null) return await aboutSetAside(about, call, client);
  if (arg !== "")
    return {
      text: call.busy ? "It waits in line, and is sent when the turn has ended." : "",
      send: { input: [{ type: "text", text: arg }], whenBusy: "queue" },
    };
  const waiting =
    call.session === undefined ? [] : await client.call("inputs.waiting", { session: call.session });
  const parked =
    call.session === undefined ? [] : await client.call("inputs.setAside", { session: call.session });
  const waits = waiting.map(
    ({ input, receivedAt }, at) => `${at + 1}  ${minute(receivedAt)}  ${wordsOf(input)}`,
  );
  return {
    text: [
      ...(waits.length === 0 ? ["Nothing waits."] : [...waits, "/stop sets it aside."]),
      ...(parked.length === 0 ? [] : [setAsideText(parked)]),
    ].join("\n"),
  };
};

/** In full, because it can be read nowhere else. */
const setAsideText = (parked: readonly StoredInput[]): string =>
  [
    "Set aside, and not run by itself:",
    ...parked.map(({ input, receivedAt }, at) => {
      const words = clean(messageText(userMessage(input))).replaceAll("\n", "\n   ");
      return `${at + 1}  ${minute(receivedAt)}  ${words}`;
    }),
    "/queue send NUMBER sends one, /queue drop NUMBER or all removes it.",
  ].join("\n");

async function aboutSetAside(
  [, act = "", which = ""]: readonly string[],
  { session }: CommandCall,
  client: Client,
): Promise<CommandReply> {
  const parked = session === undefined ? [] : await client.call("inputs.setAside", { session: session });
  const chosen = which.toLowerCase() === "all" ? parked : parked.slice(Number(which) - 1, Number(which));
  const [first, ...more] = Number(which) === 0 ? [] : chosen;
  if (first === undefined) return { text: "There is no such message. /queue lists what is set aside." };
  if (act.toLowerCase() === "send") {
    if (more.length > 0) return { text: "One at a time: /queue send NUMBER." };
    return { text: "", send: { input: first.input, whenBusy: "queue", again: first.id } };
  }
  for (const { id } of chosen) await client.call("inputs.drop", { inbox: id });
  return { text: `Dropped: ${chosen.map(({ input }) => `"${wordsOf(input)}"`).join(", ")}.` };
}

export const steer: Run = async (arg, { busy }: CommandCall) => {
  if (arg === "") return { text: "Write what the turn is to know: /steer TEXT." };
  return {
    text: busy ? "" : "No turn runs, so this is sent as a message.",
    send: { input: [{ type: "text", text: arg }], whenBusy: "steer" },
  };
};

const wordsOf = (input: readonly InputPart[]): string => short(messageText(userMessage(input)), 60);
