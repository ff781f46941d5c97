import type { Choice } from "../../core/asking.ts";
import type { StoredApproval, StoredGrant } from "../../core/ledger.ts";
import { type Action, type Actions, limitOf } from "./action.ts";
import { usage } from "./failure.ts";
import { clean, short } from "../../core/plain-text.ts";

const list: Action = async (client, { options }) => {
  const pending = options["pending"] === true;
  const limit = limitOf(options, 20);
  const rows = await client.call("approvals.list", { limit, ...(pending ? { pending } : {}) });
  const none = pending ? "Nothing waits for an answer." : "Nothing has been asked yet.";
  return { text: rows.length === 0 ? none : rows.map(rowLine).join("\n"), rows };
};

const show: Action = async (client, { words: [id = ""] }) => {
  const row = await client.call("approvals.get", { id });
  const facts = [
    `${row.id}  ${stateText(row)}`,
    `session ${row.session}, turn ${row.turn}, asked on ${row.surface} by ${row.runtime}`,
    `asked   ${time(row.askedAt)}`,
    ...(row.decidedAt === undefined
      ? [`expires ${time(row.expiresAt)}`]
      : [`decided ${time(row.decidedAt)}${row.by === undefined ? "" : ` by ${row.by}`}`]),
    ...(row.reason === undefined ? [] : [`because ${row.reason}`]),
    ...(row.labels.length === 0 ? [] : [`danger  ${row.labels.join(", ")}`]),
    "",
    ...row.shown,
  ];
  return { text: clean(facts.join("\n")), rows: [row] };
};

const answer: Action = async (client, { words: [id = "", word = ""] }) => {
  const choice = choices.find((each) => each === word);
  if (choice === undefined) throw usage(`"${word}" is not an answer.`, `Use one of: ${choices.join(", ")}.`);
  const { id: approval } = await client.call("approvals.get", { id });
  const answered = await client.call("approvals.answer", { approval, choice });
  if (answered.outcome === "taken") return { text: `${approval}: ${choice}.` };
  if (answered.outcome === "refused") throw usage(answered.why);
  const now = stateText(await client.call("approvals.get", { id: approval }));
  return { text: `${approval} was decided before: ${now}. Nothing was changed.`, code: 1 };
};

const choices: readonly Choice[] = ["once", "session", "always", "deny"];

const revoke: Action = async (client, { words: [id = ""] }) => {
  const { summary } = await client.call("approvals.revoke", { id });
  return {
    text: `Revoked: ${clean(summary)}\nIt asks again from now on. A codex that is running may keep what was allowed for the session until it ends.`,
  };
};

const rules: Action = async (client) => {
  const grants = await client.call("approvals.grants", {});
  const lines = await client.call("approvals.rules", {});
  const granted = grants.length === 0 ? ["Nothing is allowed beforehand."] : grants.map(grantLine);
  return {
    text: [...lines, "", "Allowed beforehand:", ...granted].join("\n"),
    rows: [{ rules: lines, grants }],
  };
};

/** `talaria approvals …`. */
export const actions: Actions = { list, show, answer, revoke, rules };

const rowLine = (row: StoredApproval): string =>
  `${row.id}  ${time(row.askedAt)}  ${stateText(row).padEnd(22)}  ${short(row.question.summary, 80)}`;

function stateText({ state, why }: StoredApproval): string {
  if (state === "pending") return "waits for an answer";
  if (state === "denied" || state === "refused") return why === "not_asked" ? "not asked" : "no";
  if (state === "allowed") return why === "grant" ? "allowed by a rule" : "allowed";
  return words[state];
}

const words = {
  once: "allowed once",
  session: "allowed for session",
  always: "always allowed",
  expired: "nobody answered",
  withdrawn: "withdrawn",
} as const;

const grantLine = ({ id, scope, summary, cwd, expiresAt }: StoredGrant): string =>
  `${id}  ${scope.padEnd(7)}  ${short(summary, 80)}  in ${clean(cwd)}${expiresAt === undefined ? "" : `, until ${time(expiresAt)}`}`;

const time = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");
