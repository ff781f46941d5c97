import type { CommandReply } from "../../core/chat-state.ts";
import { asId } from "../../core/ids.ts";
import type { Client } from "../../core/calls.ts";
import type { Run } from "./command.ts";
import type { Answered, Choice } from "../../core/asking.ts";
import { decidedText } from "../../core/asking-words.ts";
import { short } from "../../core/plain-text.ts";

export const approvals: Run = async (arg, _call, client) => {
  const [word = "", id = "", ...more] = arg.split(/\s+/);
  if (["", "list"].includes(word.toLowerCase()) && id === "") return { text: await listText(client) };
  if (word.toLowerCase() !== "revoke" || more.length > 0)
    return { text: "/approvals takes nothing, list, or revoke and an id." };
  return id === "" ? await offerRevoke(client) : await revoke(id, client);
};

async function listText(client: Client): Promise<string> {
  const grants = await client.call("approvals.grants", {});
  const pending = await client.call("approvals.list", { limit: 20, pending: true });
  const granted = grants.map(({ id, scope, summary }) => `  ${id}  ${scope}  ${short(summary, 100)}`);
  const waiting = pending.map(({ id, question }) => `  ${id}  ${short(question.summary, 100)}`);
  return [
    ...(await client.call("approvals.rules", {})),
    granted.length === 0 ? "Nothing is allowed beforehand." : "Allowed beforehand:",
    ...granted,
    ...(waiting.length === 0 ? [] : ["Waits for an answer:", ...waiting]),
  ].join("\n");
}

async function offerRevoke(client: Client): Promise<CommandReply> {
  const grants = await client.call("approvals.grants", {});
  if (grants.length === 0) return { text: "Nothing is allowed beforehand, so there is nothing to revoke." };
  const options = grants.map(({ id, scope, summary }) => ({
    value: id,
    label: short(summary, 80),
    detail: scope,
  }));
  return {
    text: `Say which one: /approvals revoke ID\n${options.map(({ value, label }) => `  ${value}  ${label}`).join("\n")}`,
    choose: { title: "Take back what is allowed beforehand", command: "/approvals revoke", options },
  };
}

async function revoke(id: string, client: Client): Promise<CommandReply> {
  const { summary } = await client.call("approvals.revoke", { id });
  return { text: `Revoked: ${short(summary, 200)}. It asks again from now on.` };
}

export const approve: Run = async (arg, _call, client) => {
  const [code = "", word = "", ...more] = arg.split(/\s+/);
  const wanted = word.toLowerCase();
  if (wanted === "always")
    return {
      text: "A rule that stays can be made only at the machine itself. `once` or `session` work here.",
    };
  if (code === "" || more.length > 0 || !["", "once", "session"].includes(wanted))
    return {
      text: "/approve takes the code below the question, and `session` to allow it for this session.",
    };
  return answer(client, code, wanted === "session" ? "session" : "once");
};

export const deny: Run = async (arg, _call, client) =>
  /^\S+$/.test(arg) ? answer(client, arg, "deny") : { text: "/deny takes the code below the question." };

async function answer(client: Client, code: string, choice: Choice): Promise<CommandReply> {
  return {
    text: answeredText(
      await client.call("approvals.answer", { approval: asId<"apr">(code.toLowerCase()), choice }),
      code,
      choice,
    ),
  };
}

function answeredText(answered: Answered, code: string, choice: Choice): string {
  switch (answered.outcome) {
    case "taken":
      return takenTexts[choice];
    case "late": {
      const words =
        answered.decision === undefined ? undefined : decidedText({ decision: answered.decision });
      return `It was answered before${words === undefined ? "" : `: ${words}`}. Nothing was changed.`;
    }
    case "refused":
      return `You may not answer that: ${answered.why}.`;
    case "unknown":
      return `No question has the code ${short(code, 40)}. It stands below the question.`;
  }
}

const takenTexts: Readonly<Record<Choice, string>> = {
  once: "Allowed, this once.",
  session: "Allowed for this session.",
  always: "Always allowed.",
  deny: "Denied.",
};

export const yolo: Run = async (arg, { attended }) => {
  const isOn = attended === "yolo";
  const state = isOn
    ? "Everything is allowed beforehand, except what cannot be taken back: that asks. /yolo off ends it."
    : "It is off.";
  const wanted = arg.toLowerCase();
  if (wanted === "") return { text: state };
  if (wanted !== "on" && wanted !== "off") return { text: `/yolo takes on or off. ${state}` };
  if ((wanted === "on") === isOn) return { text: `It is ${wanted} already. Nothing was changed.` };
  if (attended === "none")
    return {
      text: "There is nobody here who could allow that. `talaria run --approve all` allows it for one turn.",
    };
  if (wanted === "on") return { text: onText, attended: "yolo" };
  return { text: "From the next message on, what needs a yes asks again.", attended: "ask" };
};

const onText = [
  "From the next message on there are no more questions: commands outside the sandbox, changes outside the folder, more permissions and the like are done at once, without you.",
  "Not covered: what cannot be taken back, like `rm -rf`, is asked; what is never done and what your deny list names is refused.",
  "It holds in this process until /yolo off, and is stored nowhere.",
].join("\n");
