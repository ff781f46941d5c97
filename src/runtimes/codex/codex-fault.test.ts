import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { captureNames, endsOf, replayed } from "./captures.suite.ts";
import { type FaultContext, codexFault } from "./codex-fault.ts";
import { goneFault, rpcFault } from "./process/process-fault.ts";
import { readTurnError } from "./wire/error-info.ts";

const now = Date.UTC(2026, 10, 15, 18, 0);
const context: FaultContext = { provider: "acme", keyName: "ACME_KEY", loopRouteExists: false, now };
const error = (codexErrorInfo: unknown, message = "no"): ReturnType<typeof readTurnError> =>
  readTurnError({ message, codexErrorInfo });
const http = (httpStatusCode: number | null): object => ({ httpConnectionFailed: { httpStatusCode } });

describe("faults of codex turns", () => {
  /** How the failed turn of each recording is called; the others end well, or not at all. */
  const expected: Readonly<Record<string, string>> = {
    "auth-chatgpt-401-refresh-expired": "auth",
    "err-400": "refused",
    "err-401": "auth",
    "err-403": "auth",
    "err-404": "config",
    "err-429-quota": "quota",
    "err-429-usage-not-included": "quota",
    "err-500": "overloaded",
    "err-503-overloaded": "overloaded",
    "err-connection-refused": "lost", // it would have tried for ever: the recording ends with the process
    "err-disconnect": "network",
    "err-disconnect-retries0": "network",
    "err-env-key-missing": "refused", // codex gives no kind; who knows that the key is missing says `keyMissing`
    "err-idle-timeout": "network",
    "err-response-failed": "network",
    "err-response-failed-ctx": "context_full",
    "err-response-failed-invalid-prompt": "refused",
    "err-response-failed-quota": "quota",
    "err-response-failed-ratelimit": "rate_limited",
    "err-response-incomplete": "refused",
    "err-sse-error": "network",
    "err-stream-ends-without-completed": "refused", // no kind, no retry, nothing begun: nobody can tell
  };

  test("every recorded failure has its code", () => {
    const names = captureNames.filter((name) => name.startsWith("err-") || name in expected);
    const found = names.flatMap((name) => {
      const faults = replayed(name).turns.flatMap(({ events }) => endsOf(events)[0]?.fault ?? []);
      return faults.map(({ code }) => [name, code]);
    });
    assert.deepEqual(Object.fromEntries(found), expected);
  });

  test("every recorded failure says what happened, in codex's words, and what to do", () => {
    for (const name of Object.keys(expected)) {
      const fault = replayed(name)
        .turns.flatMap(({ events }) => endsOf(events)[0]?.fault ?? [])
        .at(0);
      assert.ok(fault !== undefined && fault.message.length > 20 && fault.next.length > 10, name);
    }
    const [bad] = replayed("err-400").turns;
    assert.match(endsOf(bad!.events)[0]?.fault?.message ?? "", /: Invalid value: foo$/);
  });

  test("`codex login` is the advice only if codex's own login is missing or over", () => {
    const login = /codex login/;
    assert.match(codexFault(error("unauthorized"), context).next, login);
    assert.match(codexFault(error(http(401)), { ...context, requiresLogin: true }).next, login);
    const loggedIn = { ...context, requiresLogin: true, loggedIn: true };
    assert.doesNotMatch(codexFault(error(http(403)), loggedIn).next, login);
    const keyed = codexFault(error(http(401), "oauth unauthorized login expired"), context);
    assert.doesNotMatch(keyed.next, login);
    assert.match(keyed.next, /Check ACME_KEY/);
  });

  test("words alone never decide", () => {
    const words = "unauthorized oauth 401 quota exceeded rate limit context length stream disconnected";
    assert.equal(codexFault(error("other", words), context).code, "refused");
    assert.equal(codexFault(error("somethingNew", words), context).code, "refused");
    assert.equal(codexFault(undefined, context).code, "refused");
    assert.equal(codexFault(error("other"), { ...context, brokeOff: true }).code, "network");
    const unset = codexFault(error("other"), { ...context, keyMissing: true });
    assert.deepEqual([unset.code, unset.next.slice(0, 12)], ["config", "Set ACME_KEY"]);
  });

  test("the HTTP status decides where codex gives one", () => {
    const code = (status: number | null): string => codexFault(error(http(status)), context).code;
    const table = [null, 400, 401, 402, 403, 404, 407, 408, 413, 429, 500, 503].map(
      (status) => `${status} ${code(status)}`,
    );
    assert.deepEqual(table, [
      "null network",
      "400 refused",
      "401 auth",
      "402 quota",
      "403 auth",
      "404 config",
      "407 network",
      "408 network",
      "413 context_full",
      "429 rate_limited",
      "500 overloaded",
      "503 overloaded",
    ]);
    const tooMany = { responseTooManyFailedAttempts: { httpStatusCode: 429 } };
    assert.equal(codexFault(error(tooMany), context).code, "rate_limited");
    assert.equal(codexFault(error({ brandNew: { httpStatusCode: 502 } }), context).code, "overloaded");
  });

  test("an old codex gives the status at the beginning of its own words, and only there it counts", () => {
    const said = (status: string): string =>
      codexFault(error("other", `unexpected status ${status}: no, url: http://acme/v1/responses`), context)
        .code;
    assert.deepEqual(
      ["401 Unauthorized", "403 Forbidden", "404 Not Found", "429 Too Many Requests", "503 Unavailable"].map(
        said,
      ),
      ["auth", "auth", "config", "rate_limited", "overloaded"],
    );
    assert.match(
      codexFault(error("other", "unexpected status 401 Unauthorized: no"), context).next,
      /ACME_KEY/,
    );
    for (const words of [
      "the page says: unexpected status 401 Unauthorized",
      "Unexpected status 401 Unauthorized",
      "unexpected status 4011 x",
      "unexpected status",
    ])
      assert.equal(codexFault(error("other", words), context).code, "refused", words);
    assert.equal(codexFault(error("badRequest", "unexpected status 401 x"), context).code, "refused");
  });

  test("a used-up plan says when it comes back, if that is known and not over", () => {
    const quota = error("usageLimitExceeded");
    const later = codexFault(quota, { ...context, resetsAt: now + 320 * 60_000 });
    assert.match(later.next, /^Try again after 2026-11-15 23:20 UTC \(in 5 h 20 min\)/);
    assert.doesNotMatch(codexFault(quota, { ...context, resetsAt: now - 1 }).next, /after/);
    assert.match(codexFault(quota, { ...context, resetsAt: now + 60_000 }).next, /\(in 1 min\)/);
    assert.match(codexFault(quota, { ...context, resetsAt: now + 5 * 86_400_000 }).next, /\(in 5 days\)/);
  });

  test("our own loop is offered only where it could do it", () => {
    const offer = /\/codex-runtime auto/;
    const { keyName: _, ...own } = context;
    assert.doesNotMatch(codexFault(error("unauthorized"), own).next, offer);
    const login = { ...own, loopRouteExists: true, requiresLogin: true };
    const kinds = ["unauthorized", "usageLimitExceeded", "rateLimitExceeded", "serverOverloaded"] as const;
    for (const kind of kinds) assert.match(codexFault(error(kind), login).next, offer, kind);
    // With the same key, or with none at all, it would hear the same.
    for (const same of [
      { ...context, loopRouteExists: true },
      { ...own, loopRouteExists: true, requiresLogin: false },
    ])
      for (const kind of kinds) assert.doesNotMatch(codexFault(error(kind), same).next, offer, kind);
  });

  test("no secret and no flood in the words", () => {
    const said = `Incorrect API key provided: sk-aaaaaaaaaaaaaaaaaaaaaaaa. ${"x".repeat(5000)}`;
    const { message } = codexFault(error(http(401), said), context);
    assert.ok(message.includes("[redacted]") && !message.includes("sk-aaaa") && message.length < 700);
    const own = codexFault(error("other", "my hunter2 key"), {
      ...context,
      redact: (text) => text.replaceAll("hunter2", "***"),
    });
    assert.match(own.message, /my \*\*\* key/);
  });
});

describe("faults of the codex process", () => {
  const gone = { code: 1, signal: null, stderrTail: "", reason: "exit" } as const;
  const words = 'Error: approval_policy = "untrusted" is no longer supported; remove this setting';
  const plain = { loopRouteExists: false };

  test("an end in the middle of a turn is `lost`, whatever it said", () => {
    const fault = goneFault({ ...gone, stderrTail: words }, { ...plain, starting: false });
    assert.equal(fault.code, "lost");
    assert.match(fault.message, /exit code 1.*untrusted/);
    assert.doesNotMatch(fault.next, /codex-runtime/);
    const { next } = goneFault(gone, { loopRouteExists: true, starting: false });
    assert.match(next, /^Send it again: .*, or let Talaria's own loop do it with `\/codex-runtime auto`\.$/);
  });

  test("an end at the start with words of its own is a setting", () => {
    const fault = goneFault({ ...gone, stderrTail: words }, { loopRouteExists: true, starting: true });
    assert.equal(fault.code, "config");
    assert.match(fault.message, /no longer supported/);
    assert.match(fault.next, /config\.toml.*\/codex-runtime auto/);
  });

  test("an end at the start without words, or by a signal, is `lost`", () => {
    const starting = { ...plain, starting: true };
    assert.equal(goneFault(gone, starting).code, "lost");
    assert.equal(
      goneFault({ ...gone, code: null, signal: "SIGKILL", stderrTail: "x" }, starting).code,
      "lost",
    );
  });

  test("a line that is too large is a broken protocol", () => {
    assert.equal(
      goneFault({ ...gone, reason: "line-too-long" }, { ...plain, starting: false }).code,
      "protocol",
    );
  });

  test("refused requests are told apart by what codex says", () => {
    const fault = (message: string): string => rpcFault("thread/start", { message }, plain).code;
    assert.equal(fault("failed to load configuration: bad type"), "config");
    assert.equal(fault("thread 1 already has an active writer"), "refused");
    assert.equal(fault("required MCP servers failed to initialize: broken"), "config");
    assert.equal(fault("Invalid request: missing field `params`"), "protocol");
    const { message } = rpcFault(
      "thread/start",
      { message: "failed to load configuration: bad type" },
      plain,
    );
    assert.match(message, /failed to load configuration: bad type/);
  });
});
