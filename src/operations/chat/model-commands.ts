import type { Client } from "../../core/calls.ts";
import { efforts, isEffort } from "../../core/session.ts";
import type { CommandReply } from "../../core/chat-state.ts";
import type { CommandCall, Run } from "./command.ts";
import { short } from "../../core/plain-text.ts";
import { type ChosenValue, applyChoice, nextTurnSetup } from "./next-turn-setup.ts";

export const model: Run = async (arg, call, client) => {
  const { model: now } = await nextTurnSetup(call, client);
  if (arg === "") return showModel(now, client);
  const refused = await noSuchModel(arg, now.value, client);
  if (refused !== undefined) return { text: refused };
  const applied = await applyChoice(call, client, { model: arg });
  return { text: `From the next turn on this session uses ${arg}.`, ...applied };
};

async function showModel({ value, from }: ChosenValue, client: Client): Promise<CommandReply> {
  const { provider, models } = await client.call("host.status", {});
  const text = `The model is ${short(value, 100)} (${provider}), ${from}.`;
  if (models.length === 0)
    return { text: provider === "demo" ? text : `${text} /model NAME chooses another one.` };
  return {
    text: `${text}\n${provider} has: ${models.join(", ")}.`,
    choose: {
      title: `Model of this session (now ${short(value, 60)})`,
      command: "/model",
      options: models.map((name) => ({
        value: name,
        label: name,
        ...(name === value ? { detail: "now" } : {}),
      })),
    },
  };
}

/** Why choosing it would have no effect. */
async function noSuchModel(name: string, now: string, client: Client): Promise<string | undefined> {
  const { provider, models } = await client.call("host.status", {});
  const shown = short(name, 100);
  if (name === now) return `${shown} is the model already. Nothing was changed.`;
  if (provider === "demo")
    return `The provider demo has only its own model, so ${shown} would have no effect. Choose a provider first: talaria config set model.provider NAME.`;
  if (/\s/.test(name)) return `"${shown}" is not the name of a model: it contains spaces.`;
  if (models.length === 0 || models.includes(name)) return undefined;
  return [
    `${provider} has no model ${shown}. There are: ${models.join(", ")}.`,
    `If it should be there, add it to providers.${provider}.models in config.yaml and start Talaria again.`,
  ].join("\n");
}

export const reasoning: Run = async (arg, call, client) => {
  if ((await client.call("host.status", {})).provider === "demo")
    return { text: "The demo model does not think, so there is nothing to choose." };
  const { effort: now } = await nextTurnSetup(call, client);
  const wanted = arg.toLowerCase();
  if (wanted === "") return showEffort(now);
  if (!isEffort(wanted))
    return {
      text: `"${short(arg, 40)}" is not a reasoning level. Choose one of: ${efforts.join(", ")}.`,
    };
  if (wanted === now?.value) return { text: `It is ${wanted} already. Nothing was changed.` };
  return await chooseEffort(wanted, call, client);
};

function showEffort(now: ChosenValue | undefined): CommandReply {
  const text =
    now === undefined ? "Nobody chose it, so the provider decides." : `It is ${now.value}, ${now.from}.`;
  return {
    text: `${text}\nLevels: ${efforts.join(", ")}.`,
    choose: {
      title: `How hard the model thinks (now ${now?.value ?? "as the provider decides"})`,
      command: "/reasoning",
      options: efforts.map((value) => ({
        value,
        label: value,
        ...(value === now?.value ? { detail: "now" } : {}),
      })),
    },
  };
}

const chooseEffort = async (effort: string, call: CommandCall, client: Client): Promise<CommandReply> => ({
  ...(await applyChoice(call, client, { effort })),
  text: `From the next turn on the model is asked for the reasoning effort ${effort}.`,
});
