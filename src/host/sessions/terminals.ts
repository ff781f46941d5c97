import type { SessionId } from "../../core/ids.ts";
import type { NewSession } from "../../core/session.ts";
import type { Variables } from "../../lib/process/variables.ts";

/** In which terminal a session was typed last, as far as commands may see it. Kept nowhere else. */
export type Terminals = {
  /** `undefined`: in the one that this process was started in. */
  typedIn(session: SessionId | Pick<NewSession, "id">, terminal: Variables | undefined): void;
  /** A part of the work of another session goes on where that was typed. */
  handedOn(session: SessionId | Pick<NewSession, "id" | "parent">): void;
  of(session: SessionId): Variables | undefined;
};

const mostKnown = 1000;

export function terminals(): Terminals {
  const known = new Map<SessionId, Variables>();
  const typedIn: Terminals["typedIn"] = (session, terminal) => {
    const id = typeof session === "string" ? session : session.id;
    known.delete(id);
    if (terminal !== undefined) known.set(id, terminal);
    const [oldest] = known.keys();
    if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
  };
  return {
    typedIn,
    handedOn(session) {
      if (typeof session === "object" && session.parent !== undefined)
        typedIn(session, known.get(session.parent));
    },
    of: (session) => known.get(session),
  };
}
