import type { StoredApproval, StoredGrant } from "../../src/core/ledger.ts";
import type { Asked, Given, Scene } from "./scene.ts";
import { isOurs } from "./steps.ts";

const granted: ReadonlySet<string> = new Set(["once", "session", "always", "allowed"]);

/**
 * The reference: what may have happened, told from what was done and from the ledger. Every sentence is something that
 * must not be.
 */
export async function violations(scene: Scene): Promise<readonly string[]> {
  const { approvals, grants } = scene.world.handles[0];
  const lists = scene.talks.map(({ session }) => approvals.list({ limit: 1000, session }));
  const rows = (await Promise.all(lists)).flat().filter(({ question }) => isOurs(scene, question.summary));
  const all = await grants.list({});
  const ledger: Ledger = {
    rows,
    grants: all.filter(({ summary }) => isOurs(scene, summary)),
    unused: new Set(
      rows.flatMap(({ reason }) => /^allowed as (\S+), but not used/.exec(reason ?? "")?.[1] ?? []),
    ),
  };
  return [
    ...scene.wrong,
    ...rows.filter(({ state }) => state === "pending").map(() => "a question is open for ever"),
    ...scene.open().map(() => "an ask never settled"),
    ...runsOf(scene, ledger),
    ...scene.asked.flatMap((asked) => decisionFaults(asked, ledger)),
    ...answerFaults(scene, ledger),
    ...rowFaults(scene, ledger),
  ];
}

type Ledger = {
  readonly rows: readonly StoredApproval[];
  readonly grants: readonly StoredGrant[];
  /** Rows that were allowed and not handed on. */
  readonly unused: ReadonlySet<string>;
};

/** Accepts sent ⊆ granted decisions, one to one. */
function runsOf(scene: Scene, ledger: Ledger): readonly string[] {
  const used = new Set<string>();
  return scene.talks
    .flatMap(({ connection }) => connection.runs)
    .flatMap(({ asked, ran }) => {
      if (ran !== asked) return ["an accept ran another request than the one it was given for"];
      const row = rowFor(asked, ledger);
      if (row === undefined) return ["something ran that is not in the ledger"];
      if (!granted.has(row.state)) return [`something ran that is ${row.state}`];
      if (ledger.unused.has(row.id)) return ["something ran that the ledger says was not used"];
      if (used.has(row.id)) return ["something ran twice on one decision"];
      used.add(row.id);
      if (row.question.summary.endsWith("floor")) return ["something ran that nobody may allow"];
      const late = row.state !== "allowed" && (row.decidedAt ?? 0) >= row.expiresAt;
      return late ? ["something ran on an answer that came after its time"] : [];
    });
}

/** The row of the question itself, not the one that says it was not used. */
const rowFor = ({ question }: Asked["request"], { rows }: Ledger): StoredApproval | undefined =>
  rows.findLast(
    (row) =>
      row.question.origin?.epoch === question.origin?.epoch &&
      row.question.origin?.request === question.origin?.request,
  );

/** What the runtime was told is what the ledger says, both ways. */
function decisionFaults(asked: Asked, ledger: Ledger): readonly string[] {
  const { decision, request, process } = asked;
  if (decision === undefined || !process.alive) return [];
  const row = rowFor(request, ledger);
  if (row === undefined)
    return decision.choice === "deny" ? [] : ["the runtime was told yes without a row in the ledger"];
  const yes = granted.has(row.state) && !ledger.unused.has(row.id);
  if (yes !== (decision.choice !== "deny"))
    return [`the runtime was told ${decision.choice} (${decision.why}) of a row that is ${row.state}`];
  if (decision.why === "timeout" && row.state !== "expired") return ["a timeout that is none"];
  if (decision.why !== "grant") return [];
  return grantHolds(asked, row, ledger) ? [] : ["a grant was used that did not hold"];
}

function grantHolds({ session }: Asked, row: StoredApproval, { grants }: Ledger): boolean {
  const at = row.decidedAt ?? 0;
  return grants.some(
    (grant) =>
      grant.hash === row.hash &&
      (grant.scope === "always" || grant.session === session) &&
      grant.madeAt <= at &&
      (grant.expiresAt ?? Infinity) > at &&
      (grant.revokedAt ?? Infinity) >= at,
  );
}

function answerFaults(scene: Scene, { rows }: Ledger): readonly string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const taken = new Set<string>();
  return scene.given.flatMap((given) => {
    const { outcome, id, choice, through } = given;
    const row = byId.get(id);
    if (row === undefined) return ["a question that was shown is not in the ledger"];
    if (outcome === undefined) return through.alive ? ["an answer never ended"] : [];
    scene.count(outcome.outcome);
    if (outcome.outcome === "unknown") return ["a question that was shown is unknown"];
    if ((outcome.outcome === "refused") !== !mayAnswer(given, row))
      return [`an answer of ${given.by.role} was ${outcome.outcome}`];
    if (outcome.outcome !== "taken") return [];
    if (taken.has(id)) return ["two answers were taken"];
    taken.add(id);
    if (given.abandoned) return ["an answer was taken for a process that is gone"];
    return row.state === (choice === "deny" ? "denied" : choice)
      ? []
      : [`${choice} was taken, and ${row.state} kept`];
  });
}

/** Who may say what, once more and in other words. */
function mayAnswer({ by, choice }: Given, row: StoredApproval): boolean {
  if (by.role === "member" && choice === "deny")
    return by.surface === row.asker.surface && by.id === row.asker.id;
  if (by.role !== "owner") return false;
  return choice === "deny" || (row.choices.includes(choice) && (choice !== "always" || by.local));
}

function rowFaults(scene: Scene, { rows, grants }: Ledger): readonly string[] {
  const keyOf = new Map(scene.asked.map(({ request: { question }, key }) => [originOf(question), key]));
  const hashes = new Map<string, string>();
  return [
    ...rows.flatMap((row) => {
      const key = keyOf.get(originOf(row.question)) ?? "";
      const known = hashes.get(row.hash) ?? key;
      hashes.set(row.hash, key);
      return known === key ? [] : ["two actions have one name"];
    }),
    ...grants.flatMap(({ hash, scope }) =>
      rows.some((row) => row.hash === hash && row.state === scope)
        ? []
        : [`nobody gave the grant (${scope})`],
    ),
    ...grants.flatMap(({ id, hash, session }) => {
      const revoked = scene.revoked.get(id);
      if (revoked === undefined) return [];
      const others = grants.some(
        (other) => other.id !== id && other.hash === hash && other.session === session,
      );
      if (others) return [];
      const later = scene.asked.filter(
        (asked) =>
          asked.stamp > revoked &&
          asked.decision?.why === "grant" &&
          rowFor(asked.request, { rows, grants, unused: new Set() })?.hash === hash &&
          !grants.some((other) => other.id !== id && other.hash === hash),
      );
      return later.map(() => "a grant was used after it was revoked");
    }),
  ];
}

const originOf = ({ origin }: StoredApproval["question"]): string => `${origin?.epoch}/${origin?.request}`;
