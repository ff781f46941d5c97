import assert from "node:assert/strict";
import { test } from "node:test";
import type { FaultCode } from "../core/faults.ts";
import { classify, type Problem } from "./fault.ts";
import type { Route } from "./model.ts";

const now = Date.UTC(2026, 0, 1);
const route: Route = {
  name: "acme",
  protocol: "chat",
  url: "https://user:pw@api.acme.test/v1?tenant=secretive",
  key: "sk-canary-4711",
  keyName: "ACME_KEY",
  headers: { "x-api-key": "hdr-canary-99", "x-title": "talaria" },
  model: "m",
};

const http = (status: number, error: object | string = {}, more: object = {}): Problem => ({
  kind: "http",
  status,
  body: typeof error === "string" ? error : JSON.stringify({ error }),
  ...more,
});
const said = (error: unknown): Problem => ({ kind: "provider_error", error });
const system = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });

/** What went wrong, the code it gets, words of the message, words of the next step. */
const table: readonly (readonly [Problem, FaultCode, RegExp, RegExp])[] = [
  [
    http(401, { message: "bad key" }),
    "auth",
    /acme did not accept the key \(HTTP 401: bad key\)/,
    /ACME_KEY/,
  ],
  [http(403, { message: "no" }), "auth", /acme.*HTTP 403/, /ACME_KEY/],
  [http(402, { message: "pay" }), "quota", /acme.*pay/, /billing of acme/],
  [http(429, { code: "insufficient_quota", message: "gone" }), "quota", /gone/, /billing/],
  [http(429, { type: "usage_limit_reached", message: "gone" }), "quota", /gone/, /billing/],
  [http(429, { message: "slow" }), "rate_limited", /too many requests.*slow/, /Wait a little/],
  [http(429, {}, { retryAfter: "1" }), "rate_limited", /HTTP 429/, /Try again in 1 second\b/],
  [http(429, {}, { retryAfter: "86400" }), "rate_limited", /HTTP 429/, /in 24 hours/],
  [http(429, {}, { retryAfter: "Thu, 01 Jan 2026 00:05:00 GMT" }), "rate_limited", /429/, /in 5 minutes/],
  [http(429, {}, { retryAfter: "soon" }), "rate_limited", /429/, /Wait a little/],
  [http(500, "oops"), "overloaded", /HTTP 500: oops/, /try again/],
  [
    http(503, "<html><head><title>Bad Gateway</title></head></html>"),
    "overloaded",
    /web page titled “Bad Gateway”/,
    /try again/,
  ],
  [http(529, { type: "overloaded_error", message: "full" }), "overloaded", /full/, /try again/],
  [
    http(400, { code: "context_length_exceeded", message: "long" }),
    "context_full",
    /longer than the model can read/,
    /new session/,
  ],
  [
    http(400, { message: "This model's maximum context length is 8192 tokens" }),
    "context_full",
    /8192/,
    /new session/,
  ],
  [http(413, "too large"), "context_full", /413/, /new session/],
  [
    http(404, { code: "model_not_found", message: "no such model" }),
    "config",
    /no such model/,
    /Choose another model/,
  ],
  [
    http(404, "nothing here"),
    "config",
    /acme at https:\/\/api\.acme\.test .*HTTP 404/,
    /providers\.acme\.api.*protocol/,
  ],
  [
    http(302, "", { location: "https://elsewhere.test/" }),
    "config",
    /redirects to https:\/\/elsewhere\.test/,
    /providers\.acme\.api/,
  ],
  [
    http(400, { code: "content_policy_violation", message: "never" }),
    "refused",
    /refused.*never/,
    /other words/,
  ],
  [http(400, { message: "tools[0].name is wrong" }), "protocol", /tools\[0\]\.name is wrong/, /Try again/],
  [http(422, JSON.stringify({ detail: "unprocessable" })), "protocol", /unprocessable/, /Try again/],
  [http(407, ""), "network", /at https:\/\/api\.acme\.test.*407/, /Check the network/],
  [
    said({ code: "rate_limit_exceeded", message: "slow down" }),
    "rate_limited",
    /acme stopped the answer: slow down/,
    /Wait/,
  ],
  [said({ code: 401, message: "who are you" }), "auth", /who are you/, /ACME_KEY/],
  [said({ type: "error", code: null, message: "plan missing" }), "refused", /plan missing/, /other words/],
  [said({ error: { code: "server_error", message: "nested" } }), "overloaded", /nested/, /try again/],
  [
    said({ type: "error", error: { code: "invalid_value", message: "not so", param: "input[3]" } }),
    "refused",
    /not so \(code invalid_value, param input\[3\]\)/,
    /other words/,
  ],
  [
    said({ type: "error", code: "no plan", error: "permission missing" }),
    "refused",
    /permission missing/,
    /./,
  ],
  [said({ status: 429, error: { message: "wait" } }), "rate_limited", /wait/, /Wait a little/],
  [said({ code: "503", message: "full" }), "overloaded", /full/, /try again/],
  [
    http(400, { message: "bad", code: "x1", param: "p1" }),
    "protocol",
    /bad \(code x1, param p1\)/,
    /Try again/,
  ],
  [{ kind: "endless", minutes: 60 }, "network", /within 60 minutes/, /Check the network/],
  [{ kind: "too_many", items: 1000 }, "protocol", /more than 1000 items.*no tool was run/, /Try/],
  [said("just words"), "refused", /just words/, /other words/],
  [said({ message: "" }), "refused", /error without a reason/, /other words/],
  [
    { kind: "incomplete", reason: "max_output_tokens" },
    "refused",
    /ended the answer early \(max_output_tokens\)/,
    /go on/,
  ],
  [{ kind: "incomplete", reason: "content_filter" }, "refused", /content_filter/, /other words/],
  [
    { kind: "unreached", error: new TypeError("fetch failed", { cause: system("ECONNREFUSED") }) },
    "network",
    /acme at https:\/\/api\.acme\.test: nothing listens there \(ECONNREFUSED\)/,
    /network/,
  ],
  [
    { kind: "unreached", error: new TypeError("fetch failed", { cause: system("ENOTFOUND") }) },
    "network",
    /name is not known/,
    /providers\.acme\.api/,
  ],
  [{ kind: "unreached", error: system("CERT_HAS_EXPIRED") }, "network", /certificate has expired/, /network/],
  [{ kind: "unreached", error: system("EODD") }, "network", /connect EODD/, /network/],
  [
    { kind: "cut", error: new TypeError("terminated", { cause: system("UND_ERR_SOCKET") }) },
    "network",
    /ended before the answer was complete \(the other side closed/,
    /try again/,
  ],
  [{ kind: "cut" }, "network", /api\.acme\.test ended before/, /try again/],
  [{ kind: "idle", seconds: 120 }, "network", /nothing for 120 seconds/, /try again/],
  [{ kind: "too_big", mebibytes: 32 }, "protocol", /32 MiB/, /shorter/],
  [{ kind: "unreadable", what: "a web page" }, "protocol", /a web page/, /providers\.acme\.api/],
  [{ kind: "half_call", tool: "write_file" }, "protocol", /write_file.*was not run/, /Try again/],
  [{ kind: "empty" }, "protocol", /returned nothing/, /Try again/],
  [
    { kind: "setting", error: new TypeError("Invalid URL") },
    "config",
    /Invalid URL/,
    /providers\.acme .*ACME_KEY/,
  ],
];

for (const [problem, code, message, next] of table) {
  test(`${JSON.stringify(problem)} is ${code}, says why and what to do`, () => {
    const { fault } = classify(problem, route, now);
    assert.equal(fault.code, code);
    assert.match(fault.message, message);
    assert.match(fault.next, next);
  });
}

test("how long to wait is also given as a number", () => {
  assert.equal(classify(http(429, {}, { retryAfter: "2.5" }), route, now).retryAfterMs, 2500);
  assert.equal(
    classify(http(503, {}, { retryAfter: "Thu, 01 Jan 2026 00:00:10 GMT" }), route, now).retryAfterMs,
    10_000,
  );
  assert.equal(
    classify(http(429, {}, { retryAfter: "Wed, 31 Dec 2025 00:00:00 GMT" }), route, now).retryAfterMs,
    0,
  );
  for (const retryAfter of ["", "-5", "1e9x", "2026"])
    assert.ok((classify(http(429, {}, { retryAfter }), route, now).retryAfterMs ?? 0) >= 0);
  assert.equal("retryAfterMs" in classify(http(429), route, now), false);
});

test("what may be different the next time is marked, and nothing else", () => {
  const troubles = [
    [http(429), "busy"],
    [http(429, { code: "insufficient_quota" }), undefined],
    [http(500), "down"],
    [http(408), "down"],
    [http(407), undefined],
    [http(401), undefined],
    [http(400, { code: "invalid_encrypted_content", message: "no" }), "sealed"],
    [said({ message: "Could not decrypt the provided reasoning" }), "sealed"],
    [said({ code: "server_error" }), "down"],
    [{ kind: "unreached", error: system("ENOTFOUND") }, "down"],
    [{ kind: "cut" }, "broken"],
    [{ kind: "idle", seconds: 1 }, undefined],
    [{ kind: "empty" }, "empty"],
    [{ kind: "too_big", mebibytes: 32 }, undefined],
  ] as const;
  for (const [problem, trouble] of troubles)
    assert.equal(classify(problem, route, now).trouble, trouble, JSON.stringify(problem));
});

test("what to do about a key depends on whether there is one and where it would be", () => {
  const { key: _, ...keyless } = route;
  assert.match(classify(http(401), keyless, now).fault.message, /without a key/);
  assert.match(classify(http(401), keyless, now).fault.next, /^Set ACME_KEY/);
  const { keyName: __, ...nameless } = keyless;
  assert.match(classify(http(401), nameless, now).fault.next, /providers\.acme\.key_env/);
});

test("secrets never come back in a fault, wherever the provider repeats them", () => {
  const echo = "you sent sk-canary-4711 and hdr-canary-99";
  const problems: readonly Problem[] = [
    http(401, { message: echo }),
    http(400, echo),
    http(301, "", { location: `https://x.test/?k=sk-canary-4711` }),
    said({ message: echo }),
    { kind: "setting", error: new TypeError(echo) },
    { kind: "unreached", error: new Error(echo) },
    { kind: "incomplete", reason: echo },
  ];
  for (const problem of problems) {
    const text = JSON.stringify(classify(problem, route, now));
    assert.doesNotMatch(text, /canary|user:pw|secretive/);
  }
});

test("a provider's words are cut at 500 characters, after secrets are out", () => {
  const padded = `${"x".repeat(490)} sk-canary-4711 ${"y".repeat(5000)}`;
  const { message } = classify(http(400, padded), route, now).fault;
  assert.ok(message.length < 600);
  assert.doesNotMatch(message, /sk-c/);
});
