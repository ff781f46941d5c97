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
