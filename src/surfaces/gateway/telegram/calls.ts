import type { Readable } from "node:stream";
import { Api, type ApiClientOptions, type RawApi } from "grammy";
import { fieldsOf, parsedJson } from "../../../core/json.ts";
import { type Clock, timeLimit } from "../../../lib/clock.ts";
import { type CallFailure, failureOf } from "./failures.ts";
import { type Connections, connections, TransportError } from "./transport.ts";

export type Answered<T> = { readonly answer: T } | { readonly failure: CallFailure };

export type CallLimits = { readonly signal: AbortSignal; readonly ms: number };

/** Grammy has a type of its own for signals, which has no part in what is done with them. */
export type ApiSignal = Parameters<RawApi["getMe"]>[0];

/** A client of the Bot API with connections of its own. */
export type Calls = Disposable & {
  /** One call, within its time. Never rejects, and nothing is tried again. */
  run<T>(work: (api: RawApi, signal: ApiSignal) => Promise<T>, limits: CallLimits): Promise<Answered<T>>;
  /** The bytes at a path below the address of the API. */
  download(path: string, most: number, limits: CallLimits): Promise<Answered<Buffer>>;
  /** After a failure, so that nothing waits for a connection that is dead. */
  drop(): void;
};

export const defaultApi = "https://api.telegram.org";
const mostAnswerBytes = 16 * 1024 * 1024;

export function telegramCalls(deps: {
  readonly token: string;
  readonly api: string;
  readonly clock: Clock;
}): Calls {
  const root = deps.api.replace(/\/+$/, "");
  const lines = connections(root);
  const { raw } = new Api(deps.token, { apiRoot: root, fetch: fetchOver(lines) });

  const within = async <T>(
    { signal, ms }: CallLimits,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<Answered<T>> => {
    using limit = timeLimit(deps.clock, ms, { hold: true });
    try {
      return { answer: await work(AbortSignal.any([signal, limit.signal])) };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  };

  return {
    run: (work, limits) => within(limits, (signal) => work(raw, signal as unknown as ApiSignal)),
    download: (path, most, limits) =>
      within(limits, async (signal) => {
        const url = `${root}/file/bot${deps.token}/${path}`;
        const { status, body } = await lines.ask(url, { method: "GET", signal, most });
        if (status !== 200) throw new TransportError(`it answered with ${status}`, true, { status });
        return body;
      }),
    drop: () => lines.drop(),
    [Symbol.dispose]: () => lines[Symbol.dispose](),
  };
}

type Fetch = NonNullable<ApiClientOptions["fetch"]>;

/** What grammy needs of a fetch. */
function fetchOver(lines: Connections): Fetch {
  const ask = async (url: string, options: FetchOptions): Promise<{ json(): Promise<unknown> }> => {
    const { method, headers, body, signal } = options;
    const { "content-type": type = "application/json" } = headers;
    const answer = await lines.ask(url, {
      method,
      headers: {
        "content-type": type,
        ...(typeof body === "string" ? { "content-length": String(Buffer.byteLength(body)) } : {}),
      },
      ...(body === undefined ? {} : { body }),
      signal,
      most: mostAnswerBytes,
    });
    const json = parsedJson(answer.body.toString("utf8"));
    if (!isAnswer(json)) {
      throw new TransportError(`it answered with ${answer.status}, and nothing that could be read`, true, {
        status: answer.status,
      });
    }
    return { json: async () => json };
  };
  return ask as unknown as Fetch;
}

/** Some proxies answer in JSON, too. */
const isAnswer = (json: unknown): boolean => {
  const { ok, error_code: code } = fieldsOf(json);
  return ok === true || (ok === false && typeof code === "number");
};

type FetchOptions = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  readonly signal: AbortSignal;
};
