import { columns } from "../../../operations/text/columns.ts";
import {
  type SetupFindings,
  type Setup,
  type SetupChoice,
  type CurrentSetup,
  unusedKeyCommand,
  unusedKeyText,
} from "../../../core/maintenance.ts";
import { clean, short } from "../../../core/plain-text.ts";

/** What was found on this machine, as lines. */
export function foundLines(found: SetupFindings): readonly string[] {
  const { codex, keys, unusedKeys, servers, sandbox } = found;
  const rows = [
    ["codex", codexText(codex)],
    ...(keys.length === 0 && unusedKeys.length === 0
      ? [["keys", "none of the providers that Talaria knows"]]
      : keys.map(({ provider, variable }) => ["key", `${variable}, for ${provider}`])),
    ...unusedKeys.map((unused) => ["key", unusedKeyText(unused)]),
    ...(servers.length === 0
      ? [["servers", "no model server answers on this machine"]]
      : servers.map(({ provider, api, models }) => [
          "server",
          `${provider} at ${api}: ${modelsText(models)}`,
        ])),
    [
      "sandbox",
      `commands ${sandbox.confined ? "" : "of the loop: "}${sandbox.text}${sandbox.next === undefined ? "" : ` → ${sandbox.next}`}`,
    ],
  ];
  return columns(rows).split("\n");
}

function codexText(codex: SetupFindings["codex"]): string {
  if (codex.state === "unusable") return `${codex.why} → ${codex.next}`;
  const step = codex.state === "logged_out" ? " → talaria codex login" : "";
  return `${codex.version}, ${codex.login || "login unknown"}${step}`;
}

function modelsText(models: readonly string[]): string {
  if (models.length === 0) return "no model is loaded";
  const shown = models.slice(0, 3).map((name) => short(name, 40));
  return models.length > 3 ? `${shown.join(", ")} and ${models.length - 3} more` : shown.join(", ");
}

export function currentSetupText({ provider, model, runtime, written }: CurrentSetup): string {
  if (!written) return "nothing is set up yet: the built-in offline demo answers";
  return `${provider}, ${model ?? "no model named"}, on ${runtime === "codex" ? "codex" : "Talaria's own loop"}`;
}

export const choiceText = ({ provider, model }: SetupChoice): string =>
  model === undefined ? provider : `${provider}, ${model}`;

/** The commands that would set up what was found. */
export function commandsFor({ codex, keys, unusedKeys, servers }: SetupFindings): readonly string[] {
  return [
    ...(codex.state === "unusable" ? [] : ["talaria setup --provider openai-codex"]),
    ...servers.map(
      ({ provider, models }) => `talaria setup --provider ${provider} --model ${argument(models[0])}`,
    ),
    ...keys.map(({ provider }) => `talaria setup --provider ${provider} --model NAME`),
    ...unusedKeys.map(unusedKeyCommand),
    "talaria setup --provider NAME --api URL --protocol chat --key-env VARIABLE --model NAME",
  ];
}

const argument = (text = "NAME"): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${clean(text).replaceAll("'", String.raw`'\''`)}'`;

/** What was written where, as lines. */
export function writtenLines({ changes, warnings }: Awaited<ReturnType<Setup["write"]>>): readonly string[] {
  if (changes.length === 0) return ["Nothing had to be changed.", ...warnings];
  const files = [...new Set(changes.map(({ file }) => file))];
  return [
    ...files.flatMap((file) => [
      `Written to ${file}:`,
      ...changes.flatMap((change) => (change.file === file ? [`  ${change.what}`] : [])),
    ]),
    ...warnings,
  ];
}
