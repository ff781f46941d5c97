import type { Platform } from "./gateway/chat.ts";
import type { Fault } from "./faults.ts";
import type { Check } from "./host.ts";

/** `talaria doctor`: a look at the installation that changes nothing. */
export interface CheckUp extends AsyncDisposable {
  /** The settings cannot be read: what needs them is not looked at. */
  readonly unreadable: boolean;
  /** In the order in which it matters, each as soon as those before it are known. May be called again. */
  look(signal: AbortSignal): AsyncIterable<Check>;
  /** Does what can be done about the last look without losing anything. Resolves with what was done, as sentences. */
  fix(): Promise<readonly string[]>;
}

/** One step of `talaria selftest`. `next` is set whenever it failed. */
export type TestStep = {
  readonly name: string;
  readonly state: "ok" | "skipped" | "failed";
  readonly ms: number;
  readonly detail: string;
  readonly next?: string;
};

/** Names the step before it is done, and tells it afterwards. */
export type TestProgress = { readonly begins: string } | TestStep;

/** What somebody may set up, as far as it is known: the rest is asked or stays as it is. */
export type SetupChoice = {
  readonly provider: string;
  readonly model?: string;
  readonly runtime?: "loop" | "codex";
  /** Address and protocol of a provider that is not built in. */
  readonly api?: string;
  readonly protocol?: "responses" | "chat";
  /** Name of the variable that holds the key. */
  readonly keyEnv?: string;
  /** The key itself: for .env, and never shown. */
  readonly key?: string;
};

/** `login`: in codex's own words. */
export type FoundCodex =
  | {
      readonly state: "ready" | "logged_out";
      readonly version: string;
      readonly path: string;
      readonly login: string;
    }
  | { readonly state: "unusable"; readonly why: string; readonly next: string };

/** A provider whose own protocol Talaria does not speak, at the address where it speaks OpenAI's. */
export type UnusedKey = {
  readonly provider: string;
  readonly company: string;
  readonly variable: string;
  readonly api: string;
};

export const unusedKeyText = (unused: UnusedKey): string =>
  `${unused.variable} is set, but Talaria does not speak ${unused.company}'s own protocol → ${unused.company} also speaks OpenAI's protocol: ${unusedKeyCommand(unused)}`;

export const unusedKeyCommand = ({ provider, api, variable }: UnusedKey): string =>
  `talaria setup --provider ${provider} --api ${api} --protocol chat --key-env ${variable} --model NAME`;

/** What there is on this machine that can answer. */
export type SetupFindings = {
  readonly codex: FoundCodex;
  /** Providers whose key is set. */
  readonly keys: readonly { readonly provider: string; readonly variable: string }[];
  /** Keys that are set for providers which no setting names yet. */
  readonly unusedKeys: readonly UnusedKey[];
  /** Model servers that answer on this machine. */
  readonly servers: readonly {
    readonly provider: string;
    readonly api: string;
    readonly models: readonly string[];
  }[];
  /** What commands of the loop would run in. */
  readonly sandbox: { readonly confined: boolean; readonly text: string; readonly next?: string };
};

/** A provider as setup offers it. */
export type KnownProvider = {
  readonly name: string;
  readonly kind: "demo" | "codex" | "route";
  readonly api?: string;
  readonly protocol?: "responses" | "chat";
  readonly keyEnv?: string;
  readonly hasKey: boolean;
};

/** A chat app as setup offers it. `variables`: those that hold its tokens. */
export type KnownBot = {
  readonly platform: Platform;
  readonly variables: readonly string[];
  readonly isOn: boolean;
};

/** `tokens`: by their variables; for .env, and never shown. */
export type BotChoice = { readonly platform: Platform; readonly tokens: Readonly<Record<string, string>> };

/** What holds now. `written`: somebody has chosen it, in the file. */
export type CurrentSetup = {
  readonly provider: string;
  readonly model?: string;
  readonly runtime: "loop" | "codex";
  readonly written: boolean;
};

export type SetupAttempt =
  | { readonly ok: true; readonly text: string; readonly ms: number }
  | { readonly ok: false; readonly fault: Fault };

/** `talaria setup`. Nothing is written before `write`. */
export interface Setup {
  readonly files: { readonly config: string; readonly env: string };
  readonly now: CurrentSetup;
  readonly providers: readonly KnownProvider[];
  readonly bots: readonly KnownBot[];
  look(signal: AbortSignal): Promise<SetupFindings>;
  /** Why this cannot be, before anything is tried. */
  problem(choice: SetupChoice): Promise<Fault | undefined>;
  /** A model has to be named for it: the provider does not choose one, and nobody has. */
  needsModel(choice: SetupChoice): boolean;
  /** What the provider says it has. Rejects with a FaultError when it does not answer. */
  models(choice: SetupChoice, signal: AbortSignal): Promise<readonly string[]>;
  /** One real turn with the choice, in a home of its own that is gone afterwards. */
  attempt(choice: SetupChoice, signal: AbortSignal): Promise<SetupAttempt>;
  /** Each file is replaced whole or not at all. Resolves with what was changed in which file, secrets left out. */
  write(
    choice: SetupChoice,
    bot?: BotChoice,
  ): Promise<{
    readonly changes: readonly { readonly file: string; readonly what: string }[];
    readonly warnings: readonly string[];
  }>;
}
