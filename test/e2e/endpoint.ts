import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import type { RecordedRequest } from "../fakes/request-log.ts";
import { parseDemoScript } from "../fakes/demo-script.ts";
import { type DemoModel, startDemoModel } from "../fakes/demo-model.ts";
import { assertLedgerAgrees } from "./ledger-agrees.ts";
import { type Talaria, talaria } from "./talaria.ts";

/** A key as no other text in a home looks like. */
export const secretKey = "mine-4f1c9a77e0b2d6";

export type Protocol = "responses" | "chat";

type EndpointOptions = {
  readonly protocol?: Protocol;
  readonly home?: string;
  readonly onRequest?: (request: RecordedRequest) => void;
  /** Why the ledger need not have what the model reported. */
  readonly unaccounted?: string;
};

export type OnEndpoint = Talaria & {
  readonly model: DemoModel;
  /** What this one reports must be in the ledger, too. */
  alsoAsks(other: DemoModel): void;
};

/**
 * Talaria set up for a provider of its owner's, which is a scripted model. `script`: its steps, or a whole script. At the
 * end the ledger must have all that the model reported.
 */
export async function talariaOn(
  script: readonly object[] | object,
  options: EndpointOptions = {},
): Promise<OnEndpoint> {
  await using parts = new AsyncDisposableStack();
  const model = parts.use(
    await startDemoModel({
      clock: systemClock,
      script: parseDemoScript(Array.isArray(script) ? { steps: script } : script),
      ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
    }),
  );
  const it = parts.use(await talaria(options.home === undefined ? {} : { home: options.home }));
  const models = [model];
  if (options.unaccounted === undefined) it.atEnd(() => assertLedgerAgrees([it.folder, it.home], models));
  await configure(it.home, model.url, options.protocol);
  await writeFile(join(it.home, ".env"), `MINE_KEY=${secretKey}\n`, { mode: 0o600 });
  const kept = parts.move();
  const alsoAsks = (other: DemoModel): void => void models.push(other);
  return { ...it, model, alsoAsks, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Makes the home, with the settings that a person would write for an endpoint. No titles: they would eat steps of its script. */
export async function configure(home: string, api: string, protocol: Protocol = "responses"): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const settings = `model: { provider: mine, default: gpt-5.5, openai_runtime: auto }
providers: { mine: { api: "${api}", protocol: ${protocol}, key_env: MINE_KEY } }
auxiliary: { title_generation: { enabled: false } }
`;
  await writeFile(join(home, "config.yaml"), settings, { mode: 0o600 });
}

/** A step that answers with this text. */
export const says = (text: string): object => ({ reply: [{ text }] });

/** A step that says this and then nothing more, without an end. */
export const hangs = (text = "Let me think."): object => ({ reply: [{ text }, { hang: true }] });

/** What the model was given of the conversation over `responses`, oldest first. */
export function conversation(request: RecordedRequest | undefined): readonly string[] {
  const input = (request?.body["input"] ?? []) as readonly { content?: readonly { text: string }[] }[];
  return input.flatMap(({ content = [] }) => content.map(({ text }) => text));
}
