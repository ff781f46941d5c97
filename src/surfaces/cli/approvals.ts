import type { Choice } from "../../core/asking.ts";
import { localOwner } from "../../core/principal.ts";
import type { Host } from "../../core/host.ts";
import type { StoredApproval, StoredGrant } from "../../core/ledger.ts";
import { print, printJson } from "./command-output.ts";
import { usage } from "./failure.ts";
import type { CliPorts, ExitCode } from "./ports.ts";
import { clean, short } from "../../core/plain-text.ts";

export type ApprovalsOptions = {
  readonly profile?: string;
  readonly json?: boolean;
  readonly limit?: string;
  readonly pending?: boolean;
};

type Action = (
  ports: CliPorts,
  host: Host,
  words: readonly string[],
  options: ApprovalsOptions,
) => Promise<ExitCode>;

/** `talaria approvals list|show|answer|revoke|rules`. */
export async function approvals(
  ports: CliPorts,
  action: keyof typeof actions,
  words: readonly string[],
  options: ApprovalsOptions,
): Promise<ExitCode> {
  const profile = options.profile === undefined ? {} : { profile: options.profile };
  await using host = await ports.openHost({ ...profile, skipRepair: true });
  return await actions[action](ports, host, words, options);
}

const list: Action = async (ports, host, _words, { json, limit, pending }) => {
  const most = Number.parseInt(limit ?? "20", 10);
  if (!(most > 0)) throw usage(`--limit ${limit}: not a number above 0.`);
  const rows = await host.approvals.list({ limit: most, ...(pending === true ? { pending } : {}) });
  if (json === true) return printJson(ports, rows);
  if (rows.length === 0)
    return print(ports, pending === true ? "Nothing waits for an answer." : "Nothing has been asked yet.");
  return print(ports, rows.map(rowLine).join("\n"));
};

const show: Action = async (ports, host, [id = ""], { json }) => {
  const row = await host.approvals.get(id);
  if (json === true) return printJson(ports, [row]);
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
  return print(ports, clean(facts.join("\n")));
};

const answer: Action = async (ports, host, [id = "", word = ""]) => {
  const choice = choices.find((each) => each === word);
  if (choice === undefined) throw usage(`"${word}" is not an answer.`, `Use one of: ${choices.join(", ")}.`);
  const row = await host.approvals.get(id);
  const answered = await host.answer(row.id, choice, localOwner("cli"));
  if (answered.outcome === "taken") return print(ports, `${row.id}: ${choice}.`);
  if (answered.outcome === "refused") throw usage(answered.why);
  const now = await host.approvals.get(row.id);
  print(ports, `${row.id} was decided before: ${stateText(now)}. Nothing was changed.`);
  return 1;
};

const choices: readonly Choice[] = ["once", "session", "always", "deny"];

const revoke: Action = async (ports, host, [id = ""]) => {
  const grant = await host.approvals.revoke(id);
  return print(
    ports,
    `Revoked: ${clean(grant.summary)}\nIt asks again from now on. A codex that is running may keep what was allowed for the session until it ends.`,
  );
};

const rules: Action = async (ports, host, _words, { json }) => {
  const grants = await host.approvals.grants();
  const lines = await host.approvals.rules();
  if (json === true) return printJson(ports, [{ rules: lines, grants }]);
  const granted = grants.length === 0 ? ["Nothing is allowed beforehand."] : grants.map(grantLine);
  return print(ports, [...lines, "", "Allowed beforehand:", ...granted].join("\n"));
};

const actions = { list, show, answer, revoke, rules } as const;

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
