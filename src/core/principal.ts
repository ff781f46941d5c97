/** Who somebody is to this home. Whom nobody has let in is none of these, and is refused before anything is stored. */
export const roles = ["owner", "member", "guest", "program"] as const;
export type Role = (typeof roles)[number];

/** Who an input is from, and who answers a question. A surface says it of whom it knows, never of what it was told. */
export type Principal = {
  /** Where they are: cli, tui, acp, mcp, telegram… */
  readonly surface: string;
  /** What that surface knows them by. */
  readonly id: string;
  readonly name?: string;
  readonly role: Role;
  /** At this machine. */
  readonly local: boolean;
};

/** What a key must allow for a call: to look, to work, to answer questions of turns, to change how everything behaves. */
export const scopes = ["read", "operate", "approve", "admin"] as const;
export type Scope = (typeof scopes)[number];

/**
 * Who asks. `scopes`: what their key allows; without a key, what their role may. `terminal`: what commands may see of the
 * terminal they sit at, where that is not the one this process was started in.
 */
export type Caller = Principal & {
  readonly scopes?: readonly Scope[];
  readonly terminal?: Readonly<Record<string, string>>;
};

/** With what comes with them: whoever works or answers may look, and whoever changes how everything behaves may all. */
export const withImplied = (given: readonly Scope[]): readonly Scope[] =>
  given.includes("admin") ? scopes : scopes.filter((scope) => scope === "read" || given.includes(scope));

/** Who they are, and nothing that comes with a call. */
export const principalOf = ({ scopes: _key, terminal: _terminal, ...principal }: Caller): Principal =>
  principal;

/** With whom a session is held. It is fixed when the session begins: a runtime may have been told what they may know. */
export const audiences = ["owner", "members", "guests"] as const;
export type Audience = (typeof audiences)[number];

/** The person at this machine. */
export const localOwner = (surface: string): Principal => ({
  surface,
  id: "owner",
  name: "you",
  role: "owner",
  local: true,
});

/** A program that the owner has started at this machine: we know no more of it. */
export const localProgram = (surface: string): Principal => ({
  surface,
  id: "stdio",
  role: "program",
  local: true,
});

/** For a list of people. */
export const principalName = ({ name, id }: Principal): string => name ?? id;

export const isSamePerson = (one: Principal, other: Principal): boolean =>
  one.surface === other.surface && one.id === other.id;

/** Does a session with this audience take input from somebody with this role? */
export const belongsTo = (audience: Audience, role: Role): boolean =>
  role === "owner" ||
  role === "program" ||
  audience === "guests" ||
  (audience === "members" && role === "member");

/** What a turn may do: no more than whoever it is for, and no more than those may who read and write in its session. */
export function rightsOf({ role }: Pick<Principal, "role">, audience: Audience): Role {
  if (audience === "guests" || role === "guest") return "guest";
  return audience === "members" ? "member" : role;
}

/** May their words join a turn that runs? It goes on with the rights of whoever it is for, so nobody is to gain by it. */
export const maySteer = (by: Principal, turnOf: Principal): boolean =>
  isSamePerson(by, turnOf) || (by.role === "owner" && (by.local || !turnOf.local));
