import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { WantedSettings } from "./block.ts";
import { beginMark, endMark } from "./markers.ts";
import { permissionLine } from "./old-block.ts";
import { rewrite } from "./rewrite.ts";

const files: WantedSettings = {
  servers: new Map([["files", { settings: { command: "npx", args: ["-y", "x"] }, off: false }]]),
  plugins: new Map(),
};
const nothing: WantedSettings = { servers: new Map(), plugins: new Map() };
const write = (text: string, wanted: WantedSettings | undefined = files) =>
  rewrite("config.toml", text, wanted);

const block = `${beginMark}
default_permissions = ":workspace" # talaria

[mcp_servers.files] # talaria
command = "npx"
args = ["-y", "x"]
${endMark}
`;

describe("the block", () => {
  test("stands below the keys of the root and above the first table and its comments", () => {
    const [above, below] = [
      '# codex\nmodel = "x" # mine\n\n',
      "# features\n# of mine\n[features]\na = true\n",
    ];
    assert.equal(write(above + below).text, above + block + below);
  });

  test("has everything that a server can have, sorted by name, texts escaped and seconds as floats", () => {
    const wanted: WantedSettings = {
      servers: new Map([
        ["web", { settings: { url: "http://x", http_headers: { "X-Y": 'a"b\\\n' } }, off: true }],
        [
          "my.files",
          {
            settings: { command: "x", env: {}, cwd: "/w", tool_timeout_sec: 30, startup_timeout_sec: 2.5 },
            off: false,
          },
        ],
      ]),
      plugins: new Map([
        ["b@shop", false],
        ["a@shop", true],
      ]),
    };
    assert.equal(
      write('sandbox_mode = "read-only"\n', wanted).text,
      `sandbox_mode = "read-only"
${beginMark}
[mcp_servers."my.files"] # talaria
command = "x"
env = {}
cwd = "/w"
tool_timeout_sec = 30.0
startup_timeout_sec = 2.5

[mcp_servers.web] # talaria
url = "http://x"
http_headers = { X-Y = "a\\"b\\\\\\n" }
enabled = false # talaria

[plugins."a@shop"] # talaria
enabled = true

[plugins."b@shop"] # talaria
enabled = false
${endMark}
`,
    );
  });

  test("is not there when there is nothing to write", () => {
    const text = 'sandbox_mode = "read-only"\n';
    assert.equal(write(text, nothing).text, text);
    assert.equal(write(write(text).text, nothing).text, text);
  });

  test("is replaced wherever it stands", () => {
    const moved = `model = "x"\n[features]\na = true\n${block}`;
    assert.equal(write(moved).text, `model = "x"\n${block}[features]\na = true\n`);
  });

  test("takes in nothing that is typed below it: such a key is one of the root again", () => {
    const { text } = write(`${block}model = "x"\n`);
    assert.equal(text, `model = "x"\n${block}`);
  });
});

describe("what the person has", () => {
  const rivals: Readonly<Record<string, string>> = {
    "a table": '[mcp_servers.files]\ncommand = "mine"\n',
    "a quoted table": "['mcp_servers' . \"files\"]\nurl = 'u'\n",
    "dotted keys": 'mcp_servers.files.command = "mine"\n',
    "a key of the group": '[mcp_servers]\nfiles = { command = "mine" }\n',
    "dotted keys of the group": '[mcp_servers]\nfiles.command = "mine"\n',
    "a table that ours would need": '[mcp_servers.files.args]\nx = "1"\n',
  };
  for (const [form, text] of Object.entries(rivals)) {
    test(`of the same name wins: ${form}`, () => {
      const { block: ours, person, text: after } = write(text);
      assert.deepEqual([...ours.servers], []);
      assert.ok(person.has("mcp_servers", "files", new Set(["command", "args"])));
      assert.ok(after.includes(text));
    });
  }

  for (const text of [
    'mcp_servers = { files = { command = "mine" } }\n',
    "mcp_servers = {}\n",
    "[[mcp_servers]]\n",
  ]) {
    test(`cannot be added to if it is written in one piece: ${text.trim()}`, () => {
      const { block: ours, person } = write(text);
      assert.deepEqual([...ours.servers], []);
      assert.ok(person.isClosed("mcp_servers"));
      assert.equal(person.has("mcp_servers", "files", new Set()), text.includes("files"));
    });
  }

  test("about the sandbox is kept, and no profile is set over it", () => {
    for (const [text, limits] of [
      ['sandbox_mode = "read-only"\n', "set"],
      ['default_permissions = ":read-only"\n', "set"],
      ["[profiles.safe]\nsandbox_mode = 'read-only'\n", "set"],
      ["[sandbox_workspace_write]\nnetwork_access = true\n", "details"],
      ["[other]\nsandbox_mode = 'x'\n", "none"],
    ] as const) {
      const { block: ours, person } = write(text);
      assert.equal(person.limits, limits, text);
      assert.equal(ours.permission, limits === "none", text);
    }
  });
});

/** As codex 0.166 wrote it into a file with our block at its end: a key, a tool, a switch, a server, a project. */
const codexWasHere = `model = "gpt-5.5"
${beginMark}
default_permissions = ":workspace" # talaria
model_reasoning_effort = "high"

[mcp_servers.files] # talaria
command = "old"
startup_timeout_sec = 3.5
enabled = false

[mcp_servers.files.tools.t]
approval_mode = "approve"

[mcp_servers.added]
command = "z"

[mcp_servers.added.tools.t]
approval_mode = "approve"

# trusted
[projects."/w"]
trust_level = "trusted"
${endMark}
`;

describe("what codex writes between our lines", () => {
  const outside = `[mcp_servers.added]
command = "z"

[mcp_servers.added.tools.t]
approval_mode = "approve"

# trusted
[projects."/w"]
trust_level = "trusted"
`;

  test("is put outside, and what it noted about our servers stays with them", () => {
    const { text, movedOut, block: ours } = write(codexWasHere);
    assert.equal(
      text,
      `model = "gpt-5.5"
model_reasoning_effort = "high"
${beginMark}
default_permissions = ":workspace" # talaria

[mcp_servers.files] # talaria
command = "npx"
args = ["-y", "x"]
enabled = false

[mcp_servers.files.tools.t]
approval_mode = "approve"
${endMark}
${outside}`,
    );
    assert.deepEqual(movedOut, [
      "model_reasoning_effort",
      "[mcp_servers.added]",
      "[mcp_servers.added.tools.t]",
      '[projects."/w"]',
    ]);
    assert.deepEqual([...ours.additions], [["files", ["enabled", "tools"]]]);
    assert.equal(write(text).text, text);
  });

  test("stays when the block goes, but for what was about our servers, and that is told", () => {
    const { text, block: ours } = rewrite("config.toml", codexWasHere, undefined);
    assert.equal(text, `model = "gpt-5.5"\nmodel_reasoning_effort = "high"\n${outside}`);
    assert.deepEqual(ours.dropped, ["mcp_servers.files"]);
  });

  test("is not kept for a server that has become another kind, for which codex might refuse it", () => {
    const wanted = { ...files, servers: new Map([["files", { settings: { url: "u" }, off: false }]]) };
    const { text, block: ours } = write(codexWasHere, wanted);
    assert.ok(!text.includes("mcp_servers.files.tools"));
    assert.deepEqual(ours.dropped, ["mcp_servers.files"]);
  });

  /** As `codex mcp add` of 0.166 leaves it: every server written anew, without a comment. */
  const added = `\n[mcp_servers.added]\ncommand = "z"\n`;
  const rewritten = `\n[mcp_servers.files]\nargs = ["-y", "x"]\ncommand = "npx"\n${added}${endMark}\n`;
  const afterAdd: Readonly<Record<string, readonly [text: string, limits: string]>> = {
    "the marks of the servers": [`${beginMark}\n${permissionLine} # talaria\n${rewritten}`, ""],
    "the begin mark as well": [`sandbox_mode = "x"\n${rewritten}`, 'sandbox_mode = "x"\n'],
  };
  for (const [lost, [text, own]] of Object.entries(afterAdd))
    test(`is told from ours when codex has written all servers anew, and ${lost} are gone`, () => {
      const again = write(text);
      assert.deepEqual([...again.block.servers], ["files"]);
      assert.deepEqual(again.movedOut, ["[mcp_servers.added]"]);
      assert.equal(write(again.text).text, again.text);
      const gone = rewrite("config.toml", text, undefined, files.servers).text;
      assert.equal(gone.replaceAll("\n\n", "\n").trim(), `${own}${added.trim()}`.trim());
      const mine = text.replace('"npx"', '"mine"');
      if (own === "")
        assert.ok(write(mine).text.includes('[mcp_servers.files]\nargs = ["-y", "x"]\ncommand = "mine"'));
    });

  test("a permission that was changed there is somebody's choice", () => {
    const { text } = write(block.replace(":workspace", ":read-only"));
    assert.match(text, /^default_permissions = ":read-only" # talaria\n# >>>/);
    assert.ok(!text.includes(":workspace"));
  });

  test("what we had switched off is on again when our settings say so", () => {
    const off = { ...files, servers: new Map([["files", { settings: { command: "npx" }, off: true }]]) };
    assert.ok(!write(write("", off).text).text.includes("enabled"));
  });

  test("plugins of the block stay as they are when codex could not be asked", () => {
    const some = { ...files, plugins: new Map([["a@shop", true]]) };
    const { text } = write("", some);
    assert.equal(write(text, { ...files, plugins: undefined }).text, text);
    assert.ok(!write(text, files).text.includes("a@shop"));
  });
});

describe("a file that cannot be changed safely is refused", () => {
  const refusals: Readonly<Record<string, readonly [string, RegExp]>> = {
    "with a line that is not TOML": ["a = 1\nb == 2\n", /config\.toml is not valid TOML.*line 2: /],
    "with a begin mark alone": [
      `a = 1\n${beginMark}\n`,
      /damaged: there is a begin mark in line 2,.*changed\.$/,
    ],
    "with an end mark alone": [`${endMark}\n`, /damaged: there is an end mark in line 1,/],
    "with two blocks": [
      block + block.replace(/default.*\n/, ""),
      /a begin mark in line 1, an end mark in line 7, a begin/,
    ],
    "with the marks in the wrong order": [`${endMark}\n${beginMark}\n`, /damaged/],
    "with a block that is no TOML": [block.replace('"npx"', "npx"), /was changed, and is not TOML/],
  };
  for (const [name, [text, message]] of Object.entries(refusals)) {
    test(name, () => {
      for (const wanted of [files, undefined])
        assert.throws(() => rewrite("config.toml", text, wanted), { name: "FaultError", message });
    });
  }

  test("but not one in which only our block is at odds with what the person added", () => {
    const twice = `${block}[mcp_servers.files]\ncommand = "mine"\n`;
    const { text } = write(twice);
    assert.equal(text.match(/\[mcp_servers\.files\]/g)?.length, 1);
    assert.equal(rewrite("config.toml", twice, undefined).text, '[mcp_servers.files]\ncommand = "mine"\n');
  });

  test("marks inside a text of several lines are none", () => {
    const text = `x = '''\n${beginMark}\n'''\n`;
    assert.equal(rewrite("config.toml", write(text).text, undefined).text, text);
  });
});
