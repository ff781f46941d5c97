import type { Json } from "../../core/json.ts";
import { type Definition, type ToolRecord, storedDefinition, plainName } from "./definition.ts";
import { foreignLine } from "./foreign-text.ts";
import type { McpServer } from "./server.ts";
import { isIncluded } from "./settings.ts";
import { McpTrouble } from "./trouble.ts";

/** A tool as it was first seen or last approved, and what its server offers instead. */
export type Pin = ToolRecord & {
  readonly server: string;
  readonly changed?: { readonly hash: string; readonly definition: Json };
};

export type Pins = {
  list(): Promise<readonly Pin[]>;
  see(server: string, tools: readonly ToolRecord[]): Promise<unknown>;
};

/** Not offered: what was switched off, what has changed, and what the server has no more as far as is known. */
export function usableDefinition(server: McpServer, pin: Pin): Definition | undefined {
  if (pin.changed !== undefined || !isIncluded(server.settings, pin.name)) return undefined;
  const offer = server.offer();
  if (offer !== undefined && !offer.tools.some(({ name }) => name === pin.name)) return undefined;
  return storedDefinition(pin.definition);
}

/** The server runs and has said what it offers: is it what the model was told about? */
export async function checkPin(pins: Pins, server: McpServer, { name, hash }: Pin): Promise<void> {
  const now = server.offer()?.tools.find((tool) => tool.name === name);
  const own = plainName(name);
  if (now === undefined) throw new McpTrouble(`does not have the tool ${foreignLine(own, 100)} any more`);
  if (now.hash === hash) return;
  const pin = (await pins.list()).find((one) => one.server === server.settings.name && one.name === name);
  if (pin?.hash === now.hash)
    throw new McpTrouble(
      `has changed the tool ${foreignLine(own, 100)}, and the person has allowed it. It can be used as it is now from the next message on`,
    );
  throw new McpTrouble(
    `has changed the tool ${foreignLine(own, 100)} since it was first seen, so it is off. The person can look at it with /mcp show ${server.settings.name}, which says how to allow it`,
  );
}
