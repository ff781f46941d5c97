import type { ReceivedRequest } from "../../src/models/demo/server.ts";

/** Counted from 1; its headers are without `authorization`. */
export type RecordedRequest = Omit<ReceivedRequest, "headers"> & {
  readonly n: number;
  readonly headers: Readonly<Record<string, string>>;
};

export type RequestLog = {
  readonly kept: readonly RecordedRequest[];
  total(): number;
  add(asked: ReceivedRequest): RecordedRequest;
  wait(n: number): Promise<RecordedRequest>;
};

/** Remembers the newest requests, and tells who waits for one. */
export function requestLog(keep: number): RequestLog {
  const kept: RecordedRequest[] = [];
  const waiting = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  let total = 0;
  return {
    kept,
    total: () => total,
    add({ path, headers, body }) {
      const request = { n: ++total, path, headers: plain(headers), body };
      kept.push(request);
      if (kept.length > keep) kept.shift();
      waiting.get(request.n)?.resolve(request);
      waiting.delete(request.n);
      return request;
    },
    async wait(n) {
      const known = kept.find((request) => request.n === n);
      if (known !== undefined) return known;
      if (n <= total) throw new Error(`Request ${n} is no longer kept; the newest ${keep} are.`);
      const waiter = waiting.get(n) ?? Promise.withResolvers<RecordedRequest>();
      waiting.set(n, waiter);
      return waiter.promise;
    },
  };
}

const plain = (headers: ReceivedRequest["headers"]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name === "authorization" || value === undefined ? [] : [[name, String(value)]],
    ),
  );
