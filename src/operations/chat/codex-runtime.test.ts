import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FaultError } from "../../core/faults.ts";
import { type Readiness, Refusal } from "../../core/host.ts";
import type { MigrationReport } from "../../core/migration.ts";
import {
  call,
  failing,
  fakeHost,
  type FakeOptions,
  listed,
  noSession,
  nothingToMigrate,
  say,
} from "./fake-host.suite.ts";

const here = call.session;
const words = {
  codex: ["codex_app_server", "on", "codex", "enable", "ON", "Codex_App_Server"],
  loop: ["auto", "off", "default", "disable", "loop", "Off", "AUTO"],
};
const other = { codex: "loop", loop: "codex" } as const;
const notReady: Readiness = {
  ok: false,
  fault: { code: "config", message: "It is not there.", next: "Install it." },
};
const changes = (calls: readonly string[]): readonly string[] =>
  calls.filter((each) => !each.startsWith("runtime.readiness"));
const asked = (calls: readonly string[]): readonly string[] =>
  calls.filter((each) => each.startsWith("runtime.readiness"));

for (const wanted of ["codex", "loop"] as const) {
  /** Everything is on the other one. */
  const elsewhere = (also: FakeOptions = {}): FakeOptions => ({
    status: { runtime: other[wanted] },
    ...also,
  });
  const [word = ""] = words[wanted];

  describe(`/codex-runtime to ${wanted}`, () => {
    for (const arg of words[wanted]) {
      test(`by ${arg} changes the default and this session, and looks once whether it can`, async () => {
        const host = fakeHost(elsewhere());
        const reply = await say(`/codex-runtime ${arg}`, host);
        assert.deepEqual(host.calls, [
          `runtime.readiness {"runtime":"${wanted}"}`,
          `runtime.setDefault {"runtime":"${wanted}"}`,
          `sessions.choose {"session":"${here}","change":{"runtime":"${wanted}"}}`,
        ]);
        assert.deepEqual(Object.keys(reply), ["text"]);
        assert.match(
          reply.text,
          new RegExp(`^The default is ${wanted} now\\..*from its next turn on.*history is carried over`),
        );
        assert.match(reply.text, /Other open sessions keep their runtime.*prompt cache starts cold/);
      });
    }

    test("without a session changes the default alone", async () => {
      const host = fakeHost(elsewhere());
      const reply = await say(`/codex-runtime ${word}`, host, noSession);
      assert.deepEqual(changes(host.calls), [`runtime.setDefault {"runtime":"${wanted}"}`]);
      assert.equal(reply.choices, undefined);
      assert.match(reply.text, new RegExp(`next message begins a session on ${wanted}`));
    });

    test("overrules what was chosen for the next message", async () => {
      for (const from of [call, noSession]) {
        const pending = { ...from, choices: { runtime: other[wanted] } };
        const reply = await say(`/codex-runtime ${word}`, fakeHost(elsewhere()), pending);
        assert.deepEqual(reply.choices, { runtime: wanted });
      }
    });

    test("that cannot run turns: on changes nothing at all, off works and says what is missing", async () => {
      for (const from of [call, noSession]) {
        const host = fakeHost(elsewhere({ ready: notReady }));
        if (wanted === "loop") {
          const { text } = await say(`/codex-runtime ${word}`, host, from);
          assert.match(
            text,
            /^The default is loop now\.[^]*\nBut it cannot run turns now: It is not there\.\n→ Install it\.$/,
          );
          assert.equal(changes(host.calls)[0], 'runtime.setDefault {"runtime":"loop"}');
          continue;
        }
        const reply = await say(`/codex-runtime ${word}`, host, from);
        assert.deepEqual(reply, { text: "It is not there. Nothing was changed.\n→ Install it." });
        assert.deepEqual(host.calls, [`runtime.readiness {"runtime":"${wanted}"}`]);
      }
    });

    for (const [name, error] of [
      ["a refusal", new Refusal("config", "The file is read-only.", "Make it writable.")],
      [
        "a fault",
        new FaultError({
          code: "storage",
          message: "The file is read-only. Nothing was changed.",
          next: "Make it writable.",
        }),
      ],
    ] as const) {
      test(`says that ${name} kept the default from being saved, and leaves the session alone`, async () => {
        for (const from of [call, noSession]) {
          const host = fakeHost(elsewhere({ over: { "runtime.setDefault": failing(error) } }));
          const reply = await say(`/codex-runtime ${word}`, host, from);
          assert.deepEqual(reply, {
            text: "The default could not be saved: The file is read-only. Nothing was changed.\n→ Make it writable.",
          });
          assert.deepEqual(changes(host.calls), []);
        }
      });
    }

    test("changes nothing when all of it is so already", async () => {
      for (const from of [call, noSession]) {
        const host = fakeHost({ status: { runtime: wanted } });
        const reply = await say(`/codex-runtime ${word}`, host, from);
        assert.match(reply.text, new RegExp(`^${wanted} is the default already.*Nothing was changed\\.$`));
        assert.deepEqual(host.calls, [`runtime.readiness {"runtime":"${wanted}"}`]);
      }
      const broken = fakeHost({ status: { runtime: wanted }, ready: notReady });
      assert.match(
        (await say(`/codex-runtime ${word}`, broken)).text,
        /Nothing was changed\.\nBut it cannot run turns now: It is not there\.\n→ Install it\.$/,
      );
    });

    test("tells only the session when the default is so already", async () => {
      const host = fakeHost({
        status: { runtime: wanted },
        sessions: [listed(here, { runtime: other[wanted] })],
      });
      const reply = await say(`/codex-runtime ${word}`, host);
      assert.match(
        reply.text,
        new RegExp(`^The default was ${wanted} already\\. This conversation runs on ${wanted}`),
      );
      assert.deepEqual(changes(host.calls), [
        `sessions.choose {"session":"${here}","change":{"runtime":"${wanted}"}}`,
      ]);
    });

    test("says what holds when the default was saved but the session could not be told", async () => {
      const choose = failing(new Refusal("busy", "A turn runs.", "Wait."));
      for (const own of [{}, { runtime: other[wanted] }]) {
        const host = fakeHost(
          elsewhere({ over: { "sessions.choose": choose }, sessions: [listed(here, own)] }),
        );
        assert.deepEqual((await say(`/codex-runtime ${word}`, host)).text.split("\n"), [
          `The default is ${wanted} now, and saved. The choice could not be written to this session: A turn runs. Wait.`,
          `This session stays on ${other[wanted]}; /runtime ${wanted} tries again.`,
        ]);
        assert.deepEqual(changes(host.calls), [`runtime.setDefault {"runtime":"${wanted}"}`]);
      }
      const there = fakeHost(
        elsewhere({ over: { "sessions.choose": choose }, sessions: [listed(here, { runtime: wanted })] }),
      );
      assert.match(
        (await say(`/codex-runtime ${word}`, there)).text,
        new RegExp(`\\nThis session stays on ${wanted}\\.$`),
      );
    });

    test("reaches a session that kept the default of the start", async () => {
      const host = fakeHost({ status: { runtime: wanted, knownRuntime: other[wanted] } });
      assert.match((await say("/runtime", host)).text, /, the default when Talaria started\./);
      await say(`/codex-runtime ${word}`, host);
      assert.deepEqual(changes(host.calls), [
        `sessions.choose {"session":"${here}","change":{"runtime":"${wanted}"}}`,
      ]);
    });

    test("passes a warning on", async () => {
      const host = fakeHost(elsewhere({ ready: { ok: true, detail: "fine", warning: "newer than tested" } }));
      assert.match((await say(`/codex-runtime ${word}`, host)).text, /\nfine\nWarning: newer than tested$/);
    });
  });
}

describe("/codex-runtime", () => {
  test("without an argument shows the default, this session and codex, and changes nothing", async () => {
    const host = fakeHost({ sessions: [listed(here, { runtime: "codex" })] });
    assert.deepEqual((await say("/codex-runtime", host)).text.split("\n"), [
      "default       auto (turns run on loop)",
      "this session  codex, chosen in this session",
      "codex         codex-cli 0.166.0 at /bin/codex",
      "/codex-runtime on or off changes the first two.",
    ]);
    assert.deepEqual(host.calls, ['runtime.readiness {"runtime":"codex"}']);
  });

  test("shows why codex cannot be used, and before the first message what the next session has", async () => {
    const host = fakeHost({ ready: notReady, status: { runtime: "codex" } });
    assert.deepEqual((await say("/codex_runtime", host, noSession)).text.split("\n"), [
      "default       codex_app_server (turns run on codex)",
      "next session  codex, the default",
      "codex         cannot be used: It is not there.",
      "→ Install it.",
    ]);
    assert.equal(asked(host.calls).length, 1);
  });

  test("shows the same for `status`, as the command line does", async () => {
    const { text } = await say("/codex-runtime status");
    assert.match(text, /^default +auto/);
    assert.equal(text, (await say("/codex-runtime")).text);
  });

  test("answers any other word with the choices", async () => {
    const host = fakeHost();
    for (const arg of ["maybe", "on off", "hermes", "true"]) {
      const { text } = await say(`/codex-runtime ${arg}`, host);
      assert.match(
        text,
        /is not a choice\. Codex: codex_app_server, on, codex, enable\. The loop: auto, off, default, disable, loop\./,
      );
    }
    assert.deepEqual(host.calls, []);
  });

  test("there and back again ends where it began", async () => {
    let runtime = "loop";
    let own: string | undefined;
    const plain = await fakeHost().call("host.status", {});
    const host = fakeHost({
      over: {
        "sessions.get": async () => listed(here, own === undefined ? {} : { runtime: own }),
        "host.status": async () => ({ ...plain, runtime, runtimeSetting: runtime, knownRuntime: "loop" }),
        "runtime.setDefault": async ({ runtime: name }) => ((runtime = name), null),
        "sessions.choose": async ({ change }) => ((own = change.runtime), null),
      },
    });
    for (const arg of ["on", "off", "on", "off"]) {
      const { text } = await say(`/codex-runtime ${arg}`, host);
      assert.match(text, /^The default is (codex|loop) now\./);
    }
    assert.deepEqual([runtime, own], ["loop", "loop"]);
    assert.match((await say("/codex-runtime off", host)).text, /Nothing was changed/);
  });
});

const migrating = (run: () => Promise<MigrationReport>, also: FakeOptions = {}) => {
  const runs: unknown[] = [];
  const over: FakeOptions["over"] = {
    "codex.migrate": (options) => {
      runs.push(options);
      return run();
    },
    "codex.plugins": async () => ["hello@shop"],
  };
  return { runs, host: fakeHost({ ...also, over }) };
};

const nothing = async () => nothingToMigrate;

describe("codex's native plugins", () => {
  test("that are on are named by the status, but not with the demo, whose codex has none", async () => {
    assert.match((await say("/codex-runtime", migrating(nothing).host)).text, /^plugins +hello@shop$/m);
    const demo = migrating(nothing, { status: { provider: "demo" } });
    assert.doesNotMatch((await say("/codex-runtime", demo.host)).text, /plugins/);
  });
});

describe("codex's own settings", () => {
  const migrated = { ...nothingToMigrate, diff: "--- a\n+++ b\n+[mcp_servers.files]\n", written: true };
  test("are brought up to date when codex is switched on, and again when it is asked for again", async () => {
    for (const runtime of ["loop", "codex"]) {
      const { runs, host } = migrating(async () => migrated, { status: { runtime } });
      const { text } = await say("/codex-runtime on", host);
      assert.match(text, /\n\+\[mcp_servers\.files\]\n[^]*Written to \/home\/ada\/\.codex\/config\.toml\./);
      assert.deepEqual(runs, [{}]);
    }
  });

  test("are left alone when it is switched off, shown, or cannot be used, and with the demo", async () => {
    const { runs, host } = migrating(async () => migrated, { status: { runtime: "codex" } });
    for (const line of ["/codex-runtime off", "/codex-runtime", "/codex-runtime what"]) await say(line, host);
    const absent = migrating(async () => migrated, { ready: notReady });
    await say("/codex-runtime on", absent.host);
    const demo = migrating(async () => migrated, { status: { provider: "demo" } });
    await say("/codex-runtime on", demo.host);
    assert.deepEqual([...runs, ...absent.runs, ...demo.runs], []);
  });

  test("that cannot be written are a warning, and the switch holds", async () => {
    const refused = new Refusal("config", "config.toml:3 is not TOML.", "Mend it.");
    const { host } = migrating(failing(refused));
    const { text } = await say("/codex-runtime on", host);
    assert.match(
      text,
      /^The default is codex now\.[^]*! .*not brought up to date: config\.toml:3.*\n→ Mend it\.$/,
    );
    assert.ok(host.calls.some((each) => each.startsWith("runtime.setDefault")));
  });
});
