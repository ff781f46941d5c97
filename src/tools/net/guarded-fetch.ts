import type { IncomingMessage, RequestOptions } from "node:http";
import { isIP } from "node:net";
import type { Clock } from "../../lib/clock.ts";
import { http, https } from "../../lib/http.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { type Address, type Checked, type NetGuard, portOf } from "./guard.ts";
import { readableEncodings, responseBody } from "./response-body.ts";

export type FetchOptions = {
  readonly guard: NetGuard;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly maxBytes?: number;
  /** For everything: names, redirects, the last byte. */
  readonly timeoutMs?: number;
  readonly accept?: string;
  /** Never sent: what tells who somebody is, or how the connection is kept. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Why a body of this type is not read, or `undefined` to read it. */
  readonly unwanted?: (type: string) => string | undefined;
};

/** `url`: where it was found in the end. `notes`: what happened on the way that somebody may want to know. */
export type Fetched =
  | {
      readonly ok: true;
      readonly url: string;
      readonly status: number;
      /** Media type in small letters without parameters; empty when the answer named none. */
      readonly type: string;
      readonly charset?: string;
      readonly body: Uint8Array;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly why: string };

const limits = { maxBytes: 5 * 1024 * 1024, timeoutMs: 20_000, redirects: 5 } as const;

/**
 * GET of an address that somebody else named: only http and https, only where the guard lets it, each redirect anew; no
 * cookies, no credentials, no proxy, no connection kept. Any status is an answer. `why` is a sentence. Never rejects.
 */
export async function guardedFetch(url: string, options: FetchOptions): Promise<Fetched> {
  const { timeoutMs = limits.timeoutMs, clock, signal } = options;
  const ended = await withinTime(timeoutMs, clock, signal, async (inner) =>
    follow(url, { ...options, signal: inner }),
  );
  if (ended.end === "done") return ended.value;
  if (ended.end === "stopped") return no("it was stopped before the answer was there.");
  return no(
    `${shownUrl(url)} did not answer within ${timeoutMs / 1000} s. Try again later, or another page.`,
  );
}

async function follow(start: string, options: FetchOptions): Promise<Fetched> {
  const notes: string[] = [];
  let target = start;
  let base: URL | undefined;
  for (let redirects = 0; redirects <= limits.redirects; redirects += 1) {
    const url = webAddress(target, base);
    if ("why" in url)
      return no(base === undefined ? url.why : `${shownUrl(base.href)} redirects: ${url.why}`);
    if (base?.protocol === "https:" && url.protocol === "http:")
      notes.push("The way there led from https to http.");
    const answer = await oneRequest(url, options);
    if ("why" in answer)
      return no(base === undefined ? answer.why : `${shownUrl(start)} redirects: ${answer.why}`);
    const { location } = answer.headers;
    if (!redirectStatuses.has(answer.statusCode ?? 0) || location === undefined) {
      return await readAnswer(url, answer, options, notes);
    }
    answer.destroy();
    target = location;
    base = url;
  }
  return no(`${shownUrl(start)} redirects more than ${limits.redirects} times.`);
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** An address that may be asked for at all. */
export function webAddress(written: string, base?: URL): URL | { readonly why: string } {
  const url = URL.parse(written, base?.href);
  if (url === null)
    return { why: `"${shownUrl(written)}" is not a web address. It looks like https://host/page.` };
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { why: `only http and https addresses can be fetched, not ${shownUrl(url.protocol)}` };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      why: "an address with a name or password in it is not fetched. Leave out what stands before the @.",
    };
  }
  return url;
}

async function oneRequest(
  url: URL,
  options: FetchOptions,
): Promise<IncomingMessage | { readonly why: string }> {
  const port = portOf(url);
  const checked = await options.guard.check(url.hostname, port, options.signal);
  if ("refused" in checked) return { why: checked.refused };
  return await firstAnswer(url, port, checked, options);
}

/** The next address is tried only when the one before could not be connected to, so that nothing is asked for twice. */
async function firstAnswer(
  url: URL,
  port: number,
  checked: Checked,
  options: FetchOptions,
): Promise<IncomingMessage | { readonly why: string }> {
  let problem: unknown;
  for (const address of [checked, ...checked.others]) {
    try {
      return await answerFrom(url, port, address, options);
    } catch (error) {
      problem = error;
      if (!unconnected.has(codeOf(error))) break;
    }
  }
  return { why: `${url.host} could not be reached (${codeOf(problem)}). Try again later, or another page.` };
}

const unconnected = new Set(["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL", "ETIMEDOUT"]);

function answerFrom(
  url: URL,
  port: number,
  address: Address,
  options: FetchOptions,
): Promise<IncomingMessage> {
  const settings: RequestOptions & { readonly servername: string } = {
    method: "GET",
    host: address.address,
    family: address.family,
    port,
    path: `${url.pathname}${url.search}`,
    // The certificate has to be of the host that was asked for, whatever its address.
    servername: isIP(url.hostname.replace(/^\[|\]$/g, "")) === 0 ? url.hostname : "",
    headers: { ...extraHeaders(options), host: url.host, connection: "close" },
    signal: options.signal,
    agent: false,
    // An address is given, so nobody looks up a name. If somebody did, the guard would have been passed by.
    lookup: (_name, _options, done) => done(new Error("a name was looked up a second time"), "", 0),
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? https().request : http().request;
    send(settings, resolve).on("error", reject).end();
  });
}

function extraHeaders({ accept = "*/*", headers = {} }: FetchOptions): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => !neverSent.test(name));
  return {
    "user-agent": "Mozilla/5.0 (compatible; Talaria)",
    ...Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value])),
    accept,
    "accept-encoding": readableEncodings,
  };
}

const neverSent =
  /^(?:authorization|cookie|proxy-.*|host|connection|transfer-encoding|content-length|upgrade|.*api-?key.*|.*token.*)$/i;

async function readAnswer(
  url: URL,
  answer: IncomingMessage,
  { maxBytes = limits.maxBytes, unwanted }: FetchOptions,
  notes: readonly string[],
): Promise<Fetched> {
  const [type = "", ...parameters] = (answer.headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = /charset\s*=\s*"?([^\s"]+)/.exec(parameters.join(";"))?.[1];
  const status = answer.statusCode ?? 0;
  const why = unwanted?.(type.trim());
  if (why !== undefined) {
    answer.destroy();
    return no(why);
  }
  try {
    const read = await responseBody(answer, maxBytes);
    if ("why" in read) return no(`${shownUrl(url.href)} was not read, because ${read.why}`);
    const named = charset === undefined ? {} : { charset };
    return { ok: true, url: url.href, status, type: type.trim(), ...named, body: read.body, notes };
  } catch (error) {
    return no(`the answer of ${url.host} broke off (${codeOf(error)}). Try again.`);
  } finally {
    answer.destroy();
  }
}

const no = (why: string): Fetched => ({ ok: false, why });

const codeOf = (error: unknown): string => {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.message : String(error);
};

/** Part of a sentence, so it stays on one line and short. */
const shownUrl = (url: string): string => {
  const plain = url.replaceAll(/[^\x20-\x7e]/g, "?");
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
};
