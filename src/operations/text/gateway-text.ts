import type { GatewayBot, GatewayStatus, ListedPeople, TestedBot } from "../../core/gateway/gateway.ts";
import type { StoredOutbox, StoredPerson } from "../../core/gateway/tables.ts";
import { clean, counted, short } from "../../core/plain-text.ts";
import { columns } from "./columns.ts";
import { minute } from "./time.ts";

/** How the bots are, and what waits for the owner. */
export function gatewayStatusText(status: GatewayStatus, now: number): string {
  const { running, bots, people, pairings, troubles } = status;
  if (bots.length === 0)
    return "No chat app is set up. `talaria setup` sets one up, or see docs/user/gateway.md.";
  return [
    columns(bots.map((bot) => [bot.surface, botName(bot), botText(bot, now)])),
    `${counted(people, "person or group", "people or groups")} let in${pairings.length === 0 ? "" : `, ${pairings.length} waiting to be`}: talaria gateway people`,
    ...(troubles.length === 0 ? [] : ["Not delivered, or nobody can say:", ...troubles.map(troubleLine)]),
    ...(running
      ? []
      : ["The gateway does not run here. Start it: talaria serve, or talaria service install"]),
  ].join("\n");
}

const botName = ({ name, account }: GatewayBot): string =>
  name === undefined ? "-" : `${clean(name)} (${clean(account ?? "?")})`;

function botText({ state, detail, receivedAt, waiting, restarts }: GatewayBot, now: number): string {
  return [
    state,
    receivedAt === undefined ? [] : `last heard ${ago(now - receivedAt)}`,
    waiting === 0 ? [] : `${waiting} to be sent`,
    restarts === 0 ? [] : counted(restarts, "restart"),
    detail === undefined ? [] : clean(detail),
  ]
    .flat()
    .join(", ");
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

const troubleLine = ({ id, surface, chat, state, why = "" }: StoredOutbox): string =>
  `  ${id}  ${surface}:${clean(chat)}  ${state}${why === "" ? "" : `: ${short(clean(why), 100)}`}`;

export function peopleText({ people, pairings }: ListedPeople): string {
  const letIn = people.filter(({ revokedAt }) => revokedAt === undefined);
  const gone = people.filter(({ revokedAt }) => revokedAt !== undefined);
  return [
    letIn.length === 0 ? "Nobody was let in." : columns(letIn.map(personCells)),
    ...(pairings.length === 0
      ? []
      : [
          "Waiting to be let in, with a code that the bot has told them (talaria gateway pair CODE):",
          columns(
            pairings.map(({ surface, id, name = "", askedAt, expiresAt }) => [
              `  ${surface}:${clean(id)}`,
              clean(name),
              `asked ${minute(askedAt)}, until ${minute(expiresAt)} UTC`,
            ]),
          ),
        ]),
    ...(gone.length === 0 ? [] : ["No longer let in:", columns(gone.map(personCells))]),
  ].join("\n");
}

const personCells = ({
  surface,
  id,
  name = "",
  role,
  allowedAt,
  revokedAt,
}: StoredPerson): readonly string[] => [
  `${surface}:${clean(id)}`,
  role,
  clean(name),
  revokedAt === undefined ? `since ${minute(allowedAt)}` : `revoked ${minute(revokedAt)}`,
];

/** `hasOwner`: somebody is the owner in a chat. */
export const letInText = ({ surface, id, name, role }: StoredPerson, hasOwner: boolean): string =>
  [
    `Let in as ${role}: ${surface}:${clean(id)}${name === undefined ? "" : ` (${clean(name)})`}.`,
    ...(hasOwner
      ? []
      : [
          "Nobody is the owner in a chat yet, so nobody is asked there. If this is you: talaria gateway allow " +
            `${surface}:${clean(id)} --role owner`,
        ]),
  ].join("\n");

export const testedText = (tested: readonly TestedBot[]): string =>
  tested.length === 0
    ? "No chat app is set up. `talaria setup` sets one up."
    : tested
        .map(
          ({ surface, ok, detail, receipt, next }) =>
            `${ok ? "ok" : "FAIL"}  ${surface}: ${clean(detail)}${receipt === undefined ? "" : ` (${clean(receipt)})`}${next === undefined ? "" : `\n      ${next}`}`,
        )
        .join("\n");
