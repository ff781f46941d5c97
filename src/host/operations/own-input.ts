import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { type Incoming, type Outgoing, Refusal } from "../../core/host.ts";
import { type Audience, type Caller, type Role, principalOf } from "../../core/principal.ts";
import type { NewSession, StartedSession } from "../../core/session.ts";
import type { Foundation } from "../foundation.ts";

/** What the settings say for those who choose little themselves. */
type OwnInputSettings = {
  /** Where sessions work whose callers cannot choose a folder. Made when it is first needed. */
  readonly folder: string;
  /** Models that the settings name. */
  readonly models: readonly string[];
};

/**
 * An input as it is taken from this caller: what they did not say is filled in, and what is not theirs to say is refused,
 * never passed over.
 */
export async function ownInput(
  sent: Outgoing,
  caller: Caller,
  settings: OwnInputSettings,
): Promise<Incoming> {
  const { key, session, choices = {} } = sent;
  const { surface } = caller;
  if (key.surface !== undefined && key.surface !== surface)
    throw notTheirs(`What is sent from ${surface} cannot be named as if it came from ${key.surface}.`);
  if (!caller.local) requireReadable(sent.input);
  if (caller.role !== "owner") requireOwnChoices(choices, caller.role, settings, "turn");
  const names = { account: caller.role === "program" ? caller.id : key.account };
  return {
    ...sent,
    from: principalOf(caller),
    // What one program calls its messages is nothing to another.
    key: { ...key, surface, ...names },
    session: typeof session === "string" ? session : await beginSession(session, caller, settings),
  };
}

/** More than any model reads. What is longer would hold up everybody while it is looked through for secrets and indexed. */
const mostCharacters = 1_000_000;

function requireReadable(input: Outgoing["input"]): void {
  const length = input.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (length > mostCharacters)
    throw new Refusal(
      "usage",
      "A message has at most 1,000,000 characters, with all that it says was said before.",
      "Send less, or put it into a file where the turn works.",
    );
}

export async function beginSession(
  wish: StartedSession,
  caller: Caller,
  settings: OwnInputSettings,
): Promise<NewSession> {
  const { role, surface } = caller;
  if (role !== "owner") {
    const { cwd, parent, ...rest } = wish;
    if (rest.surface !== undefined && rest.surface !== surface)
      throw notTheirs(`A session that is begun from ${surface} is not one of ${rest.surface}.`);
    if (parent !== undefined) throw notTheirs("Only the owner begins a session below another one.");
    if (cwd !== undefined && cwd !== settings.folder)
      throw notTheirs(`Only the owner chooses the cwd of a session; yours work in ${settings.folder}.`);
    if (rest.audience !== undefined && !mayBegin[role].includes(rest.audience))
      throw notTheirs(`A ${role} begins no session that is held with ${rest.audience}.`);
    requireOwnChoices(rest, role, settings, "session");
  }
  if (wish.cwd === undefined) await mkdir(settings.folder, { recursive: true, mode: 0o700 });
  const [audience] = mayBegin[role];
  return { audience, cwd: settings.folder, surface, ...wish };
}

/** As the settings say it; `~` and what is not absolute are in the person's own folder. */
export const inputSettings = ({
  loaded: { config },
  homeDir,
  routes,
}: Pick<Foundation, "loaded" | "homeDir" | "routes">): OwnInputSettings => {
  const provider = config.providers[config.model.provider];
  return {
    folder: resolve(homeDir, (config.terminal.cwd ?? "talaria").replace(/^~(?=\/|$)/, homeDir)),
    models: [routes.model, ...(provider?.kind === "route" ? provider.models : [])],
  };
};

/** With whom they may hold a session that they begin; first, with whom they do unless they say. */
const mayBegin: Readonly<Record<Role, readonly [Audience, ...Audience[]]>> = {
  owner: ["owner", "members", "guests"],
  member: ["members", "guests"],
  guest: ["guests"],
  program: ["members", "guests"],
};

const chosen = ["runtime", "model", "effort", "cwd", "record"] as const;
type Chosen = { readonly [Name in (typeof chosen)[number]]?: unknown };

/** A program may ask for a model that the owner has named, and for how hard it thinks: what it spends has its own bounds. */
function requireOwnChoices(
  given: Chosen,
  role: Role,
  { models }: OwnInputSettings,
  of: "turn" | "session",
): void {
  const mayChoose = (name: (typeof chosen)[number]): boolean =>
    given[name] === undefined ||
    (of === "session" && name === "cwd") ||
    (role === "program" && (name === "effort" || (name === "model" && models.includes(String(given[name])))));
  const refused = chosen.find((name) => !mayChoose(name));
  if (refused !== undefined) throw notTheirs(`Only the owner chooses the ${refused} of a ${of}.`);
}

const notTheirs = (message: string): Refusal => new Refusal("usage", message, "Send it without.");
