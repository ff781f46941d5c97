import { type Message, messageText } from "../../core/messages.ts";
import { outsideParts } from "../../core/text/delimited.ts";

/** Names of addresses, made by `addressKey`. */
export type AddressKeys = ReadonlySet<string>;

/**
 * The addresses that the person wrote, and those that stood on pages and in search results. What a tool says in its own
 * words does not count: there it repeats what the model asked for. `person`: whether the user's messages are a person's.
 */
export function knownAddresses(
  messages: readonly Message[],
  { person }: { readonly person: boolean },
): AddressKeys {
  const keys = new Set<string>();
  const tools = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const call of message.toolCalls ?? []) tools.set(call.id, call.name);
    }
    for (const key of keysIn(message, tools, person)) keys.add(key);
  }
  return keys;
}

function keysIn(message: Message, tools: ReadonlyMap<string, string>, person: boolean): readonly string[] {
  if (message.role === "user") return person ? addressesIn(withSchemes(messageText(message))) : [];
  if (message.role === "assistant") return [];
  return addressesInResult(tools.get(message.toolCallId) ?? "", message.content);
}

/** Those that stood on the page or in the search results which a tool gave. */
export const addressesInResult = (tool: string, output: string): readonly string[] =>
  webTools.test(tool) ? outsideParts(output).flatMap(addressesIn) : [];

const webTools = /^(?:web_(?:search|extract)|browser(?:_[a-z]+)+)$/;

/** People write `example.com/page`. */
const withSchemes = (text: string): string =>
  text.replaceAll(
    /(?<![\p{L}\p{N}@/.:=_-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}@_-])/gu,
    (name) => `https://${name}`,
  );

function addressesIn(text: string): readonly string[] {
  return [...text.matchAll(/https?:\/\/[^\s<>"`]+/gi)].flatMap(([written]) =>
    // One address may hold another, or be followed by it without a space.
    [written, ...written.split(/(?=https?:\/\/)/i).slice(0, mostInside)].flatMap((one) =>
      readings(one).flatMap((reading) => addressKey(reading) ?? []),
    ),
  );
}

const mostInside = 12;

/** Where an address ends in running text, nobody can say: before each closing mark, or before none. */
function readings(written: string): readonly string[] {
  const plain = written.slice(0, longest).replaceAll("\\", "").replaceAll("&amp;", "&");
  const ends = [...plain.matchAll(/[)\]}>|,;'’”»*]/g)].slice(0, mostEnds).map(({ index }) => index);
  return [plain.length, ...ends].flatMap((end) => {
    const read = plain.slice(0, end);
    return [read, read.replace(/[.,;:!?'"’”»)\]}*_…。、，]+$/u, "")];
  });
}

const longest = 4000;
const mostEnds = 12;

/** The same for all spellings of an address, with http or https, with or without a slash or a fragment at its end. */
export function addressKey(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return `${parsed.host}${parsed.pathname.replace(/\/$/, "")}${parsed.search}`;
}
