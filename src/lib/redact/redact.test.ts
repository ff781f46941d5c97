import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { mask, redactor } from "./redact.ts";

describe("known values", () => {
  test("are masked as they are, and nothing else is", () => {
    const redact = redactor(["hunter2-secret", "p@ss w/ord+1"]);
    assert.equal(redact("a hunter2-secret, twice: hunter2-secret."), `a ${mask}, twice: ${mask}.`);
    assert.equal(redact("nothing to see"), "nothing to see");
  });

  test("are masked in every spelling", () => {
    const property = fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const redact = redactor([value]);
      const around = before + value + after;
      const spelled: readonly (readonly [string, string])[] = [
        [around, value],
        [JSON.stringify({ around }), JSON.stringify(value).slice(1, -1)],
        [
          JSON.stringify(JSON.stringify({ around })),
          JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1),
        ],
        [encodeURIComponent(around.toWellFormed()), encodeURIComponent(value.toWellFormed())],
        [Buffer.from(value).toString("base64"), Buffer.from(value).toString("base64").replace(/..=*$/, "")],
        [Buffer.from(value).toString("base64url"), Buffer.from(value).toString("base64url").slice(0, -2)],
      ];
      for (const [text, leak] of spelled)
        assert.ok(!redact(text).includes(leak), `${leak} is left in ${redact(text)}`);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("are masked inside a longer base64 text, at any offset", () => {
    const redact = redactor(["correct-horse-battery"]);
    for (const user of ["", "u", "us", "usr"]) {
      const header = Buffer.from(`${user}:correct-horse-battery:x`).toString("base64");
      const left = redact(header).replaceAll(mask, "");
      assert.ok(left.length < 12, `${left} is left of ${header}`);
    }
  });

  test("are masked in a form body and with small hexadecimal digits", () => {
    const redact = redactor(["one two/three"]);
    assert.equal(redact("x=one+two%2Fthree"), `x=${mask}`);
    assert.equal(redact("x=one%20two%2fthree"), `x=${mask}`);
    assert.equal(redact("x=one two\\/three"), `x=${mask}`);
  });

  test("that overlap leave nothing of either", () => {
    const redact = redactor(["abcdefgh", "efghijkl"]);
    assert.equal(redact("<abcdefghijkl>"), `<${mask}>`);
    assert.equal(redactor(["ababab"])("<ababababab>"), `<${mask}>`);
    assert.equal(redactor(["abcdefghijkl", "cdefgh"])("<abcdefghijkl>"), `<${mask}>`);
  });

  test("of fewer than six characters are left alone, and surrounding blanks do not count", () => {
    const redact = redactor(["admin", "      ", " secret-1 \n"]);
    assert.equal(redact("admin      secret-1"), `admin      ${mask}`);
  });

  test("are told apart from what only has their form", () => {
    const redact = redactor(["hunter2-hunter2"]);
    assert.ok(redact.holds("https://a.example/?token=hunter2-hunter2"));
    assert.ok(redact.holds(Buffer.from("my hunter2-hunter2!").toString("base64")));
    assert.ok(!redact.holds("https://a.example/?token=of-somebody-else"));
  });

  test("can be added later", () => {
    const redact = redactor();
    assert.equal(redact("later-secret"), "later-secret");
    redact.add("later-secret");
    assert.equal(redact("later-secret"), mask);
  });
});

const key = (length: number): string => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(4).slice(0, length);

describe("patterns", () => {
  const tokens: readonly (readonly [string, string, string?])[] = [
    ["an OpenAI key", `sk-proj-${key(40)}`],
    ["a GitHub token", `ghp_${key(36)}`],
    ["a fine-grained GitHub token", `github_pat_${key(22)}_${key(59)}`],
    ["a Slack token", `xoxb-${"1".repeat(12)}-${key(24)}`],
    ["an AWS key id", "AKIAIOSFODNN7EXAMPLE"],
    ["a Google key", `AIza${key(35)}`],
    ["an npm token", `npm_${key(36)}`],
    ["a JSON Web Token", `eyJ${key(30)}.eyJ${key(60)}.${key(43)}`],
    ["a Telegram token", `123456789:AA${key(33)}`],
    ["a bearer token", `${key(20)}.${key(5)}/x==`, "Authorization: Bearer "],
    ["a bearer token in small letters", key(30), "authorization: bearer  "],
    ["a Telegram token in a URL", `123456789:AA${key(33)}`, "https://chat.example/bot"],
    ["a key parameter", "s%20hort", "https://api.example/v1?x=1&key="],
    ["a token parameter", "ab", "https://api.example/v1?access_token="],
    ["a password parameter", "p(1)w!", "https://api.example/v1?Password="],
    ["a signature parameter", "0af", "https://api.example/v1?X-Amz-Signature="],
    ["a password in an address", "pa.ss", "https://user:"],
  ];
  for (const [name, token, before = "see "] of tokens)
    test(`${name} is masked`, () => {
      const after = name.endsWith("address") ? "@host/path" : " and more";
      assert.equal(redactor()(`${before}${token}${after}`), `${before}${mask}${after}`);
    });

  test("a private key is masked from BEGIN to END, in a JSON text too", () => {
    const pem = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${key(64)}\n${key(20)}==\n-----END RSA PRIVATE KEY-----`;
    assert.equal(redactor()(`a ${pem}\nHello`), `a ${mask}\nHello`);
    assert.equal(redactor()(JSON.stringify({ pem, b: 1 })), `{"pem":"${mask}","b":1}`);
  });

  test("a private key that was cut off is masked as far as it goes", () => {
    assert.equal(redactor()(`-----BEGIN PRIVATE KEY-----\n${key(64)}\n${key(9)}`), mask);
  });

  test("ordinary words that look a little alike are left alone", () => {
    for (const text of [
      "a risk-assessment-for-everybody, task-management-and-planning",
      "Bearer authentication is required",
      "npm_config_registry_and_some_more_words_in_a_name",
      "https://example.org/path?monkey=banana&keyboard=qwerty",
      "http://127.0.0.1:8080/a@b",
      "sk-short, ghp_short, AKIA, eyJ.a.b",
      "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
      "12:34:56 2026-01-01",
    ])
      assert.equal(redactor()(text), text);
  });
});

describe("a redactor", () => {
  test("changes nothing the second time, and never throws", () => {
    const property = fc.property(fc.array(secret, { maxLength: 4 }), pieces, (secrets, parts) => {
      const redact = redactor([...secrets, "[redacted]x", "redact"]);
      const text = parts.map((part) => (typeof part === "number" ? (secrets[part] ?? "") : part)).join("");
      const once = redact(text);
      assert.equal(redact(once), once);
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  test("changes nothing the second time, of tokens without a gap between them either", () => {
    const parts = ["AKIAIOSFODNN7EXAMPLE", `sk-${key(20)}`, `ghp_${key(36)}`, `eyJ${key(20)}.${key(20)}`];
    for (const first of parts)
      for (const second of parts) {
        const once = redactor()(first + second);
        assert.equal(redactor()(once), once);
      }
  });

  test("takes time in proportion to the text, whatever is in it", () => {
    const redact = redactor(["aaaaaaaaaaaaaaab", "sk-sk-sk-sk-sk-sk-sk-x"]);
    for (const unit of nasty) {
      const time = (length: number): number => {
        const text = unit.repeat(Math.ceil(length / unit.length));
        const started = process.threadCpuUsage();
        redact(text);
        return process.threadCpuUsage(started).user / 1000;
      };
      time(64 * 1024); // warms up
      const short = Math.min(time(64 * 1024), time(64 * 1024));
      const long = time(1024 * 1024);
      assert.ok(long < 16 * short * 5 + 150, `${JSON.stringify(unit)}: ${long} ms after ${short} ms`);
    }
  });

  test("takes a run of tens of millions of characters", () => {
    const text = `sk-${"a".repeat(20_000_000)} -----BEGIN PRIVATE KEY-----${"b".repeat(20_000_000)}`;
    assert.equal(redactor()(text), `${mask} ${mask}`);
  });
});

/** Not of parts of the mask: `[redacted]` stays readable even if somebody's password is in it. */
const secret = fc
  .oneof(
    fc.string({ minLength: 6, maxLength: 30 }),
    fc.string({ unit: fc.anyCharacter, minLength: 6, maxLength: 12 }),
  )
  .filter((value) => value.trim().length >= 6 && !mask.includes(value.trim()));

const nasty = [
  ..."a -_.:/=&?@\\0",
  "sk-",
  "a-sk-",
  "sk-aaaaaaaaaaaaaaa ",
  "eyJ",
  "eyJaaaaaaaa.",
  "eyJaaaaaaaa-",
  "eyJaaaaaaaaa_eyJ",
  "bearer ",
  "bearer\t",
  "ghp_",
  "123456:",
  "bot123456789012:aaaa",
  "?key=",
  "&a-b_c.d-key",
  "?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "://",
  "://a:",
  "://aaaaaaaa:bbbbbbbb",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----(",
  "-----BEGIN ",
  "-----BEGIN AAAAAAAAAAAAAAAAAAAAAAAAAAA PRIVATE KEY",
  "-----BEGIN PRIVATE KEY-----(-----END ",
  "[redacted]",
  "[redacted",
];

/** Texts made of what the patterns look for, cut and joined at random; a number stands for a secret. */
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...nasty,
      ..." \n\"'[](){}<>;,#%+~",
      "AKIA",
      "AKIAIOSFODNN7EXAMPLE",
      "xoxb-",
      "AIza",
      "npm_",
      "x".repeat(16),
    ),
    fc.constantFrom(
      "A".repeat(36),
      "1234567890",
      "eyJaaaaaaaaaaaaaaaa.aaaaaaaaaaaaaa.a",
      "-----END PRIVATE KEY-----",
      mask,
    ),
    fc.nat({ max: 3 }),
    fc.string({ unit: fc.anyCharacter, maxLength: 3 }),
  ),
  { maxLength: 16 },
);
