import type { Loaded, RouteConfig } from "../../config/config.ts";
import type { FaultCode } from "../../core/faults.ts";
import { readError } from "../../models/error-body.ts";
import { type Problem, classify } from "../../models/fault.ts";
import { address, duration, nextStep } from "../../models/fault-words.ts";
import { alarm } from "../../models/idle.ts";
import type { Route } from "../../models/model.ts";
import type { MediaService, NoService, PostOptions, ServiceAnswer } from "../../tools/media/media-service.ts";

/** Which settings say who draws or speaks. */
export type ServiceSettings = {
  readonly key: "image_gen" | "tts";
  readonly does: "draws pictures" | "speaks";
};

/** The provider of these settings, or why there is none. */
export function mediaService(
  { config, keyFor, headersFor }: Loaded,
  settings: ServiceSettings,
): MediaService | NoService {
  const { key, does } = settings;
  const { provider: name, model } = key === "tts" ? config.tts : config.imageGen;
  if (name === undefined)
    return { unavailable: `no provider is set that ${does}. ${providerStep(settings)}` };
  const provider = Object.hasOwn(config.providers, name) ? config.providers[name] : undefined;
  if (provider?.kind !== "route") {
    const what = provider === undefined ? "which is not a provider" : "which has no address of its own";
    return { unavailable: `${key}.provider is ${name}, ${what}. ${providerStep(settings)}` };
  }
  const secret = keyFor(name);
  if (provider.keyEnv !== undefined && secret === undefined)
    return {
      unavailable: `${name} needs a key, and ${provider.keyEnv} is not set. Put ${provider.keyEnv}=… into ${config.paths.env} or into the environment.`,
    };
  if (model === undefined)
    return {
      unavailable: `no model of ${name} is set that ${does}. Set it: talaria config set ${key}.model NAME.`,
    };
  const route = { ...routeOf(provider, model, secret), headers: headersFor(name) };
  return { name, model, post: (path, body, options) => post(route, settings, path, body, options) };
}

const providerStep = ({ key }: ServiceSettings): string =>
  `Set ${key}.provider to one of your providers, and ${key}.model to a model of it (talaria config set ${key}.provider NAME).`;

const routeOf = (provider: RouteConfig, model: string, key: string | undefined): Route => ({
  name: provider.name,
  protocol: provider.protocol,
  url: provider.api,
  headers: provider.headers,
  model,
  ...(key === undefined ? {} : { key }),
  ...(provider.keyEnv === undefined ? {} : { keyName: provider.keyEnv }),
});

async function post(
  route: Route,
  settings: ServiceSettings,
  path: string,
  body: object,
  options: PostOptions,
): Promise<ServiceAnswer> {
  const { clock, signal, limitMs } = options;
  const late = new AbortController();
  using watches = new DisposableStack();
  watches.use(alarm(clock, limitMs, () => late.abort()));
  const failed = (problem: Problem): ServiceAnswer => failure(problem, route, settings, clock.now());
  try {
    const request = requestTo(route, path, body);
    const response = await fetch(request, { signal: AbortSignal.any([signal, late.signal]) });
    return response.ok ? await answerIn(response, options, failed) : failed(await refusal(response));
  } catch (error) {
    return failed(
      late.signal.aborted ? { kind: "idle", seconds: limitMs / 1000 } : { kind: "unreached", error },
    );
  }
}

/** Redirects are not followed: a key must not travel to an address nobody configured. */
function requestTo(route: Route, path: string, body: object): Request {
  const url = new URL(route.url);
  url.pathname = url.pathname.replace(/\/+$/, "") + path;
  const headers = new Headers({ "content-type": "application/json" });
  if (route.key !== undefined) headers.set("authorization", `Bearer ${route.key}`);
  for (const [name, value] of Object.entries(route.headers)) headers.set(name, value);
  return new Request(url, { method: "POST", headers, body: JSON.stringify(body), redirect: "manual" });
}

async function answerIn(
  response: Response,
  { maxBytes }: PostOptions,
  failed: (problem: Problem) => ServiceAnswer,
): Promise<ServiceAnswer> {
  const type = response.headers.get("content-type") ?? "";
  const { bytes, cut } = await firstBytes(response, maxBytes);
  if (cut) return failed({ kind: "too_big", mebibytes: maxBytes / 1024 / 1024 });
  if (bytes.length === 0) return failed({ kind: "unreadable", what: "nothing" });
  if (type.startsWith("text/html"))
    return failed({ kind: "unreadable", what: readError(bytes.toString()).message });
  return { ok: true, body: bytes };
}

const errorBytes = 64 * 1024;

async function refusal(response: Response): Promise<Extract<Problem, { kind: "http" }>> {
  const { bytes } = await firstBytes(response, errorBytes).catch(() => ({ bytes: Buffer.alloc(0) }));
  const retryAfter = response.headers.get("retry-after");
  const location = response.headers.get("location");
  return {
    kind: "http",
    status: response.status,
    body: bytes.toString("utf8"),
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(location === null ? {} : { location }),
  };
}

async function firstBytes(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ??
    new ReadableStream<Uint8Array>({ start: (all) => all.close() })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
}

function failure(problem: Problem, route: Route, settings: ServiceSettings, now: number): ServiceAnswer {
  const { fault, retryAfterMs } = classify(problem, route, now);
  const next =
    retryAfterMs === undefined
      ? stepFor(fault.code, route, settings)
      : `Try again in ${duration(retryAfterMs)}.`;
  const badField = problem.kind === "http" ? fieldIn(problem.status, problem.body) : undefined;
  return { ok: false, why: `${fault.message} ${next}`, ...(badField === undefined ? {} : { badField }) };
}

function stepFor(code: FaultCode, route: Route, { key, does }: ServiceSettings): string {
  switch (code) {
    case "auth":
    case "network":
      return nextStep(code, route);
    case "quota":
      return `Check the plan and billing of ${route.name}, or set ${key}.provider to another provider.`;
    case "rate_limited":
    case "overloaded":
      return "Wait a little and try again.";
    case "refused":
      return "Put it in other words.";
    case "context_full":
      return "Make it shorter.";
    default:
      return `Check that ${key}.model (now ${route.model}) is a model that ${does}, and that providers.${route.name}.api (now ${address(route)}) is right.`;
  }
}

/** Fields that some servers do not take. */
const knownFields = ["response_format", "size", "voice"];

function fieldIn(status: number, body: string): string | undefined {
  if (status !== 400 && status !== 422) return undefined;
  const { param } = readError(body);
  return knownFields.includes(param)
    ? param
    : knownFields.find((field) => new RegExp(`\\b${field}\\b`).test(body));
}
