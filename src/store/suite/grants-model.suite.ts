import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import type { SessionId } from "../../core/ids.ts";
import type { StoredGrant } from "../../core/ledger.ts";
import type { Store } from "../store.ts";
import { grant } from "./asking-world.suite.ts";
import { type Open, startTurn } from "./world.suite.ts";

type Step =
  | {
      readonly do: "add";
      readonly scope: StoredGrant["scope"];
      readonly session: number;
      readonly hash: string;
      readonly lasts: number | undefined;
      readonly left: number | undefined;
    }
  | { readonly do: "use"; readonly session: number; readonly hash: string }
  | { readonly do: "revoke"; readonly which: number }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "delete"; readonly session: number };

const action = { session: fc.nat({ max: 1 }), hash: fc.constantFrom("a", "b") };
const use: fc.Arbitrary<Step> = fc.record({ do: fc.constant("use"), ...action });
const add: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("add"),
  scope: fc.constantFrom("session", "always", "work"),
  ...action,
  lasts: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
  left: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: use },
  { weight: 3, arbitrary: add },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke"), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete"), session: action.session }) },
);

/** Where and when a step happens. `name` keeps the actions of one run apart from those of another. */
type Scene = {
  readonly sessions: readonly SessionId[];
  readonly gone: Set<SessionId>;
  readonly name: string;
};

export function grantModelTests(open: Open): void {
  test("whatever is made, used, revoked and outlived, grants do what a list of them would", async () => {
    await using opened = await open();
    const { store } = opened;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const sessions = [(await startTurn(store)).session, (await startTurn(store)).session];
        const scene = { sessions, gone: new Set<SessionId>(), name: `run ${(runs += 1)} ` };
        let [model, at]: [readonly StoredGrant[], number] = [[], 10];
        const ours = (grants: readonly StoredGrant[]) =>
          grants.filter((each) => each.hash.startsWith(scene.name)).toReversed();
        for (const each of steps) {
          if (each.do === "wait") at += each.ms;
          model = await follow(store, model, each, at, scene);
          assert.deepEqual(ours(await store.grants.list({})), model);
          assert.deepEqual(
            ours(await store.grants.list({ at })),
            model.filter((made) => holds(made, at)),
          );
        }
      }),
      { numRuns: 20 },
    );
  });
}

/** Does one step to the store and to the model, and compares what came of it. */
async function follow(
  store: Store,
  model: readonly StoredGrant[],
  each: Step,
  at: number,
  { sessions, gone, name }: Scene,
): Promise<readonly StoredGrant[]> {
  switch (each.do) {
    case "wait":
      return model;
    case "add": {
      const session = sessions[each.session]!;
      const { scope, lasts, left } = each;
      const made = grant(scope === "always" ? undefined : session, {
        scope,
        hash: name + each.hash,
        ...(lasts === undefined ? {} : { expiresAt: at + lasts }),
        ...(left === undefined ? {} : { left }),
      });
      if (scope !== "always" && gone.has(session)) {
        await assert.rejects(store.grants.add(made));
        return model;
      }
      await store.grants.add(made);
      return [...model, made];
    }
    case "use": {
      const asked = { hash: name + each.hash, session: sessions[each.session]!, at };
      const best = bestOf(model, asked);
      const after = best?.left === undefined ? best : { ...best, left: best.left - 1 };
      assert.deepEqual(await store.grants.use(asked), after);
      return model.map((made) => (made === best && after !== undefined ? after : made));
    }
    case "revoke": {
      const which = model[each.which % model.length];
      if (which === undefined) return model;
      const first = which.revokedAt === undefined;
      assert.equal(await store.grants.revoke(which.id, at), first);
      return model.map((made) => (made === which && first ? { ...made, revokedAt: at } : made));
    }
    case "delete": {
      const session = sessions[each.session]!;
      await store.sessions.delete(session);
      gone.add(session);
      return model.filter((made) => made.session !== session);
    }
  }
}

const holds = ({ revokedAt, expiresAt, left }: StoredGrant, at: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || at < expiresAt) && left !== 0;

function bestOf(
  model: readonly StoredGrant[],
  { hash, session, at }: { readonly hash: string; readonly session: SessionId; readonly at: number },
): StoredGrant | undefined {
  const possible = model.filter(
    (made) => made.hash === hash && holds(made, at) && (made.scope === "always" || made.session === session),
  );
  for (const scope of ["session", "always", "work"]) {
    const those = possible.filter((made) => made.scope === scope);
    const best = those.find(({ left }) => left === undefined) ?? those[0];
    if (best !== undefined) return best;
  }
  return undefined;
}
