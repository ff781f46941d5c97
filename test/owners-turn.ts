import { localOwner } from "../src/core/principal.ts";

/** What the turns and calls of most tests are: the owner's, at this machine. */
export const ownersTurn = { from: localOwner("cli"), audience: "owner" } as const;
