import * as z from "zod";
import { scopes } from "../core/principal.ts";
import { isPlainObject } from "../core/json.ts";
import { isTarget } from "../core/work/work.ts";
import { isTimeZone } from "../lib/time-zone.ts";
import { type FileSettings, settings } from "./keys.ts";
import { type Section, type Setting, isSection } from "./setting.ts";
import type { Content } from "./source.ts";
import { isDatabaseUrl } from "./database.ts";
import { isTimeSpan } from "./gateway/time-span.ts";

/**
 * Whether a file has the shape that `keys.ts` describes. Unknown keys pass: they get a warning elsewhere. A start reads
 * its settings once: only what is written becomes part of the schema, and nothing is compiled.
 */
export function checkShape(content: Content): z.ZodSafeParseResult<FileSettings> {
  const shape = schemaOf({ keys: settings }, [content]);
  return shape.safeParse(content, { jitless: true }) as z.ZodSafeParseResult<FileSettings>;
}

/** For these values, all of one place: what none of them has is left out. */
export function schemaOf(node: Setting | Section, values: readonly unknown[]): z.ZodType {
  if (!isSection(node)) return valueType(node.type);
  if (node.list !== undefined) return z.array(map(node, values.flat()), node.list);
  if (node.names === undefined) return map(node, values);
  const named = values.filter(isPlainObject).flatMap((value) => Object.values(value));
  return z.record(valueTypes[node.names](), map(node, named), "a map of names to settings");
}

function map({ keys, loose }: Section, values: readonly unknown[]): z.ZodType {
  const maps = values.filter(isPlainObject);
  const shape = Object.entries(keys).flatMap(([name, key]) => {
    const written = maps.filter((value) => Object.hasOwn(value, name)).map((value) => value[name]);
    if ("required" in key) return [[name, schemaOf(key, written)] as const];
    return written.length === 0 ? [] : [[name, z.exactOptional(schemaOf(key, written))] as const];
  });
  return (loose === true ? z.looseObject : z.object)(Object.fromEntries(shape), "a map");
}

function valueType(type: Setting["type"]): z.ZodType {
  if (typeof type === "string") return valueTypes[type]();
  return z.enum(type, `${type.slice(0, -1).join(", ")} or ${type.at(-1)}`);
}

// Each message says what is expected there; the reader adds what was found, and where.

const text = () => z.string("text").min(1, "text that is not empty");
const variableName = () =>
  text().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable, such as OPENAI_API_KEY");
const hostAndPort = () =>
  text().regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/, "host:port, such as 127.0.0.1:8080");
const share = "a share from 0.1 to 0.95";
const runtimes = "auto or codex_app_server";
const list = "a list of text, such as [a, b]";
const price = "a price in USD for a million tokens";

/** The kinds of values in config.yaml, by the names under which `keys.ts` knows them; made only when a file has one. */
export const valueTypes = {
  text,
  texts: () => z.array(text(), list),
  arguments: () => z.array(z.string("text"), list),
  strings: () => z.record(text(), z.string("text"), "a map of names to text"),
  yesOrNo: () => z.boolean("true or false"),
  address: () => text().refine(isAddress, "an http or https address without a password in it"),
  botApi: () =>
    text().refine(isBotApi, "an https address without a password in it; http only on this machine"),
  chatTarget: () => text().refine(isChat, "a chat, such as telegram:12345"),
  timeSpan: () => text().refine(isTimeSpan, 'two times of day, such as "22:00-07:00"'),
  databaseUrl: () =>
    text().refine(isDatabaseUrl, "an address of a database, such as postgres://user@host:port/database"),
  providerName: () =>
    text().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "a name of letters, digits, - and _ (64 at most)"),
  variableName,
  variableNames: () => z.array(variableName(), "a list of names of variables"),
  hostsAndPorts: () => z.array(hostAndPort(), "a list of host:port, such as [127.0.0.1:8080]"),
  runtime: () =>
    z
      .string(runtimes)
      .toLowerCase()
      .pipe(z.enum(["auto", "codex_app_server"], runtimes)),
  share: () => z.number(share).min(0.1, share).max(0.95, share),
  seconds: () => z.number("a number of seconds").positive("a number of seconds above 0"),
  hours: () => z.number("a number of hours").positive("a number of hours above 0"),
  days: () => z.number("a number of days").positive("a number of days above 0"),
  megabytes: () => z.number("a number of megabytes").positive("a number of megabytes above 0"),
  tokens: () => z.int("a whole number of tokens").positive("a number of tokens above 0"),
  usd: () => z.number("an amount of USD").positive("an amount of USD above 0"),
  usdPerMillion: () => z.number(price).min(0, `${price}, 0 or more`),
  characters: () =>
    z.int("a whole number of characters").min(200, "200 or more").max(20_000, "20000 at most"),
  port: () => z.int("a port").min(1, "1 or more").max(65_535, "65535 at most"),
  count: () => z.int("a whole number").positive("a whole number above 0"),
  zone: () => text().refine(isTimeZone, "a time zone, such as Europe/Berlin"),
  scopes: () =>
    z.array(z.enum(scopes, "read, operate, approve or admin"), "a list of scopes, such as [operate]"),
  zeroOrMore: () => z.int("a whole number").min(0, "0 or more"),
  oneToTen: () => z.int("a whole number").min(1, "1 or more").max(10, "10 at most"),
  /** A section whose content is not settled yet. */
  open: () => z.record(text(), z.unknown(), "a map"),
} as const;

export type ValueTypes = typeof valueTypes;

const isChat = (value: string): boolean => value.includes(":") && isTarget(value);

/** A token goes there: nobody on the way is to read it. */
function isBotApi(value: string): boolean {
  const url = isAddress(value) ? URL.parse(value) : null;
  if (url === null) return false;
  return url.protocol === "https:" || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
}

function isAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url === null) return false;
  return ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}
