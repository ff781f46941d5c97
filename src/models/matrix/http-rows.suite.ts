import { good, status } from "./kit.suite.ts";
import { fine, type Row, type Want } from "./row.suite.ts";

const tooLong: Want = { end: "context_full", next: /new session/ };

/** What is over before an answer begins: keys, limits, servers that are down, addresses that lead nowhere. */
export const httpRows: readonly Row[] = [
  refusal("P1 401", 401, { message: "bad key" }, { end: "auth", says: /401: bad key/, next: /ROW_KEY/ }),
  refusal("P1 403", 403, { message: "not you" }, { end: "auth", says: /403: not you/, next: /ROW_KEY/ }),
  refusal("P1 401 that repeats the key", 401, { message: "sk-canary-4711?" }, { end: "auth", says: /401/ }),
  refusal("P1 401 as a page", 401, "<html><title>Log in</title></html>", { end: "auth", says: /“Log in”/ }),
  refusal("P1 401 without a word", 401, "", { end: "auth", says: /no reason given/, next: /ROW_KEY/ }),
  refusal("P1 403 with a permission word on 400", 400, { code: "permission_denied" }, { end: "auth" }),

  once("P2 429, Retry-After 1", 429, { "retry-after": "1" }, [1000, 1500]),
  once("P2 429, Retry-After 0", 429, { "retry-after": "0" }, [0, 500]),
  once("P2 429 without Retry-After", 429, {}, [500, 1000]),
  once("P2 429, Retry-After garbage", 429, { "retry-after": "whenever" }, [500, 1000]),
  once("P2 429, Retry-After negative", 429, { "retry-after": "-5" }, [0, 1000]),
  once("P2 429, a date 7 s ahead", 429, { "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" }, [7000, 7500]),
  once("P2 429, a date gone by", 429, { "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }, [0, 500]),
  once("P2 429, Retry-After 60", 429, { "retry-after": "60" }, [60_000, 60_500]),
  {
    name: "P2 429, Retry-After 61 is longer than anybody waits",
    raw: () => [status(429, {}, { "retry-after": "61" })],
    want: { end: "rate_limited", next: /in 61 seconds/ },
  },
  {
    name: "P2 429, Retry-After 86400",
    raw: () => [status(429, { message: "enough" }, { "retry-after": "86400" })],
    want: { end: "rate_limited", says: /enough/, next: /in 24 hours/ },
  },
  {
    name: "P2 429 for ever",
    raw: () => [status(429, { message: "slow" }, { "retry-after": "2" })],
    want: {
      end: "rate_limited",
      says: /slow.*tried 3 times/,
      next: /in 2 seconds/,
      requests: 3,
      waits: [4000, 5000],
    },
  },
  refusal("P2 429, quota used up", 429, { code: "insufficient_quota", message: "gone" }, quota(/gone/)),
  refusal("P2 429, usage limit", 429, { type: "usage_limit_reached", message: "plan" }, quota(/plan/)),
  refusal("P2 402", 402, { message: "pay first" }, quota(/pay first/)),

  once("P3 500", 500, {}, [500, 1000]),
  once("P3 502", 502, {}, [500, 1000]),
  once("P3 503, Retry-After 5", 503, { "retry-after": "5" }, [5000, 5500]),
  once("P3 504", 504, {}, [500, 1000]),
  once("P3 408", 408, {}, [500, 1000]),
  {
    name: "P3 500 for ever",
    raw: () => [status(500, { message: "oops" })],
    want: {
      end: "overloaded",
      says: /oops.*tried 3 times/,
      next: /try again/,
      requests: 3,
      waits: [1500, 3000],
      sameKey: [true, true],
    },
  },
  {
    name: "P3 529 overloaded for ever",
    raw: () => [status(529, { type: "overloaded_error", message: "full" })],
    want: { end: "overloaded", says: /full/, requests: 3, waits: [1500, 3000] },
  },
  {
    name: "P3 503, Retry-After beyond the window",
    raw: () => [status(503, {}, { "retry-after": "30" })],
    want: { end: "overloaded", next: /in 30 seconds/ },
  },
  {
    name: "P3 429, then 500, then an answer",
    raw: (kit) => [status(429), status(500), good(kit)],
    want: { ...fine, requests: 3, waits: [1500, 3000], sameKey: [true, true] },
  },
  {
    name: "P3 429, 500, 429: three tries in all",
    raw: (kit) => [status(429), status(500), status(429), good(kit)],
    want: { end: "rate_limited", requests: 3, waits: [1500, 3000] },
  },
  {
    name: "P3 nobody listens",
    address: () => "http://127.0.0.1:9/v1",
    want: {
      end: "network",
      says: /127\.0\.0\.1:9.*tried 3 times/,
      next: /Check the network/,
      requests: 0,
      waits: [1500, 3000],
    },
  },
  {
    name: "P3 a name nobody knows",
    fetch: async () => {
      const cause = Object.assign(new Error("getaddrinfo ENOTFOUND nowhere"), { code: "ENOTFOUND" });
      throw new TypeError("fetch failed", { cause });
    },
    want: { end: "network", says: /name is not known/, requests: 0, waits: [1500, 3000] },
  },
  {
    name: "P3 no TLS where TLS is wanted",
    raw: (kit) => [good(kit)],
    address: (url) => url.replace("http:", "https:"),
    want: { end: "network", says: /tried 3 times/, requests: 0, waits: [1500, 3000] },
  },
  {
    name: "P3 the connection closes before a word, then an answer",
    raw: (kit) => [{ after: "drop" }, good(kit)],
    want: { ...fine, requests: 2, waits: [500, 1000], sameKey: [true] },
  },
  refusal("P3 proxy 407", 407, "", {
    end: "network",
    says: /a proxy wants a login/,
    next: /Check the network/,
    requests: 3,
    waits: [1500, 3000],
  }),

  refusal("P12 context too long", 400, { code: "context_length_exceeded" }, tooLong),
  refusal("P12 too long, in words", 400, { message: "prompt is too long: 9 > 8" }, tooLong),
  refusal("P12 413", 413, "", tooLong),

  refusal(
    "400 about the request",
    400,
    { message: "no", param: "tools[0]", code: "bad" },
    {
      end: "protocol",
      says: /no \(code bad, param tools\[0\]\)/,
      next: /Try again/,
    },
  ),
  refusal("404 model", 404, { code: "model_not_found" }, { end: "config", next: /another model/ }),
  refusal("404 address", 404, "nothing here", { end: "config", next: /providers\.row\.api/ }),
  refusal("400 policy", 400, { code: "content_policy_violation" }, { end: "refused", next: /other words/ }),
  {
    name: "307 elsewhere is not followed",
    raw: (kit) => [status(307, "", { location: "/v1/responses" }), good(kit)],
    want: { end: "config", says: /redirects to/ },
  },
  {
    name: "an address that is none",
    address: () => "not an address",
    want: { end: "config", next: /providers\.row/, requests: 0 },
  },
  {
    name: "sealed reasoning is not taken back, and left out",
    sealed: true,
    raw: (kit) => [status(400, { code: "invalid_encrypted_content", message: "no" }), good(kit)],
    want: { ...fine, requests: 2, notice: "reasoning_dropped", sameKey: [false] },
  },
  {
    name: "sealed reasoning is refused in words",
    sealed: true,
    raw: (kit) => [status(422, { message: "Encrypted content could not be verified" }), good(kit)],
    want: { ...fine, requests: 2, notice: "reasoning_dropped" },
  },
  {
    name: "a refusal that goes on without sealed reasoning is a fault",
    sealed: true,
    raw: () => [status(400, { code: "invalid_encrypted_content", message: "no" })],
    want: { end: "protocol", says: /tried 2 times/, requests: 2, notice: "reasoning_dropped" },
  },
  {
    name: "Stop while waiting for the next try",
    raw: () => [status(429, {}, { "retry-after": "30" })],
    stopAt: ({ type }) => type === "retrying",
    want: { end: "aborted" },
  },
];

function quota(says: RegExp): Want {
  return { end: "quota", says, next: /billing of row/ };
}

/** Asked once, refused, and that is that. */
function refusal(name: string, code: number, error: object | string, want: Want): Row {
  return { name, raw: () => [status(code, error as Record<string, unknown>)], want };
}

/** Refused once; the second try is answered. */
function once(
  name: string,
  code: number,
  headers: Readonly<Record<string, string>>,
  waits: readonly [number, number],
): Row {
  const raw: Row["raw"] = (kit) => [status(code, { message: "not now" }, headers), good(kit)];
  return { name, raw, want: { ...fine, requests: 2, waits, sameKey: [true] } };
}
