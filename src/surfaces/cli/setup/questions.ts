import type { SetupFindings, KnownProvider, Setup, SetupChoice } from "../../../core/maintenance.ts";
import { short } from "../../../core/plain-text.ts";
import type { Asker, Option } from "./ask.ts";

/** Who is to answer. `undefined`: the person has something to do first. */
export async function askChoice(
  setup: Setup,
  ask: Asker,
  found: SetupFindings,
): Promise<SetupChoice | undefined> {
  const offers = offersFor(setup, found);
  const chosen = await ask.select(
    "Who should answer?",
    offers.map(({ label, hint }, index) => ({
      value: String(index),
      label,
      ...(hint === undefined ? {} : { hint }),
    })),
    String(Math.max(0, firstUsable(offers))),
  );
  const offer = offers[Number(chosen)]?.take;
  if (offer === "key") return askForKey(setup, ask);
  if (offer === "address") return askForAddress(ask);
  if (offer !== "login") return offer;
  ask.warn("Codex has no login yet. Run `talaria codex login` in another terminal, then choose it again.");
  return undefined;
}

/** What needs nothing more from the person. The demo always works, so it is there when nothing else does. */
const firstUsable = (offers: readonly Offer[]): number =>
  offers.findIndex(({ take, lacking }) => typeof take !== "string" && lacking !== true);

type Offer = Pick<Option, "label" | "hint"> & {
  readonly take: SetupChoice | "key" | "address" | "login";
  /** It may need something more, so it is not chosen already. */
  readonly lacking?: boolean;
};

function offersFor({ now }: Setup, { codex, keys, unusedKeys, servers }: SetupFindings): readonly Offer[] {
  const keepCurrent: Offer = {
    label: `Keep ${now.provider}${now.model === undefined ? "" : `, ${now.model}`}`,
    hint: "and try whether it works",
    take: { provider: now.provider },
  };
  const onCodex: Offer = {
    label: "Codex, with its own login",
    hint: codex.state === "ready" ? codex.login : "not logged in",
    take: codex.state === "ready" ? { provider: "openai-codex" } : "login",
  };
  return [
    ...(now.written ? [keepCurrent] : []),
    ...(codex.state === "unusable" ? [] : [onCodex]),
    ...keys.map(({ provider, variable }) => ({
      label: provider,
      hint: `with ${variable}`,
      take: { provider },
    })),
    ...servers.map(({ provider, api, models }) => ({
      label: `${provider} on this machine`,
      hint: `${api}, ${models.length === 1 ? "1 model" : `${models.length} models`}`,
      take: { provider },
      lacking: models.length === 0,
    })),
    ...unusedKeys.map(({ provider, variable: keyEnv, api }) => ({
      label: `${provider}, where it speaks OpenAI's protocol`,
      hint: `with ${keyEnv}`,
      take: { provider, api, keyEnv, protocol: "chat" } as const,
      lacking: true,
    })),
    { label: "A provider whose key I paste", take: "key" },
    { label: "Another address that speaks OpenAI's protocol", take: "address" },
    { label: "The offline demo, for now", take: { provider: "demo" } },
  ];
}

async function askForKey({ providers }: Setup, ask: Asker): Promise<SetupChoice> {
  const keyed = providers.filter(({ keyEnv }) => keyEnv !== undefined);
  const provider = await ask.select("Which provider?", keyed.map(providerOption));
  return {
    provider,
    key: await ask.secret(`The key of ${provider} (it goes to .env and is not shown)`, { check: filled }),
  };
}

const providerOption = ({ name, api }: KnownProvider): Option => ({
  value: name,
  label: name,
  ...(api === undefined ? {} : { hint: api }),
});

async function askForAddress(ask: Asker): Promise<SetupChoice> {
  const api = await ask.text("Its address", { example: "https://example.com/v1", check: address });
  const suggested = nameFor(api);
  const provider = await ask.text("A name for it", { example: suggested, fallback: suggested, check: name });
  const protocol = await ask.select("What does it speak?", [
    { value: "chat", label: "chat completions", hint: "nearly all servers" },
    { value: "responses", label: "responses", hint: "needed for turns on codex" },
  ]);
  const key = await ask.secret("Its key (empty: it needs none)", {});
  const keyed = key === "" ? {} : { key, keyEnv: `${provider.toUpperCase().replaceAll("-", "_")}_API_KEY` };
  return { provider, api, protocol: protocol === "responses" ? "responses" : "chat", ...keyed };
}

const filled = (typed: string): string | undefined => (typed.trim() === "" ? "It is empty." : undefined);

const address = (typed: string): string | undefined =>
  /^https?:$/.test(URL.parse(typed.trim())?.protocol ?? "")
    ? undefined
    : "An address begins with http:// or https://.";

const name = (typed: string): string | undefined =>
  typed === "" || /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(typed.trim())
    ? undefined
    : "Letters, digits, - and _, beginning with a letter.";

function nameFor(api: string): string {
  const labels = (URL.parse(api)?.hostname ?? "").split(".");
  const label = labels.at(-2) ?? labels[0] ?? "";
  return /^[a-z][a-z0-9-]*$/i.test(label) ? label.toLowerCase() : "mine";
}

/** Asked only where both runtimes would work. */
export async function askRuntime(
  { providers, now }: Setup,
  ask: Asker,
  { codex }: SetupFindings,
  choice: SetupChoice,
): Promise<SetupChoice> {
  const known = providers.find((one) => one.name === choice.provider);
  const protocol = choice.protocol ?? known?.protocol;
  // With the key of openai codex does nothing: there it wants its own login, which is an offer of its own.
  const both = protocol === "responses" && choice.provider !== "openai" && codex.state !== "unusable";
  if (!both) return choice.provider === "openai" ? { ...choice, runtime: "loop" } : choice;
  const loop = { value: "loop", label: "Talaria's own loop" };
  const onCodex = { value: "codex", label: "codex", hint: "its sandbox, its tools" };
  const runtime = await ask.select(
    "Who should run the turns?",
    now.runtime === "codex" ? [onCodex, loop] : [loop, onCodex],
  );
  return { ...choice, runtime: runtime === "codex" ? "codex" : "loop" };
}

const fewModels = 12;
const another = "\u0000another";

export async function askModel(ask: Asker, models: readonly string[]): Promise<string> {
  if (models.length === 0) return ask.text("Which model?", { check: filled });
  const options = models.map((model) => ({ value: model, label: short(model, 80) }));
  const more = [...options, { value: another, label: "another one, by its name" }];
  const chosen = await (models.length <= fewModels ? ask.select : ask.find)("Which model?", more);
  return chosen === another ? ask.text("Its name", { check: filled }) : chosen;
}
