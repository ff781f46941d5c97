import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { describe, test, type TestContext } from "node:test";
import * as fc from "../../../test/seeded.ts";
import { tempHome } from "../../config/temp-home.suite.ts";
import { toolSwitches } from "./switches.ts";

const tools = [
  { name: "browser_back", toolset: "browser" },
  { name: "browser_click", toolset: "browser" },
  { name: "browser_type", toolset: "browser" },
  { name: "terminal", toolset: "terminal" },
  { name: "process", toolset: "terminal" },
  { name: "todo", toolset: "todo" },
];

async function open(t: TestContext, config?: string) {
  const home = await tempHome(t, config === undefined ? {} : { config });
  const switches = toolSwitches((await home.load()).config);
  return {
    home,
    switches,
    change: async (on: boolean, ...names: string[]) => (await switches.set(tools, names, on)).changed,
    off: () => tools.filter((tool) => switches.isOff(tool)).map(({ name }) => name),
    text: () => readFile(home.config, "utf8"),
  };
}

describe("switching tools", () => {
  test("writes a set by its name, and is in force at once", async (t) => {
    const { change, off, text, home } = await open(t, "# mine\nmodel:\n  default: big # best\n");
    assert.deepEqual(await change(false, "browser"), ["browser_back", "browser_click", "browser_type"]);
    assert.deepEqual(off(), ["browser_back", "browser_click", "browser_type"]);
    assert.match(
      await text(),
      /^# mine\nmodel:\n  default: big # best\ntools:\n  disabled: \[ ?browser ?\]\n$/,
    );
    assert.deepEqual((await home.load()).config.tools.disabled, ["browser"]);
    assert.deepEqual(await change(false, "browser", "browser_back"), []);
  });

  test("on and off again leaves the rest of the file as it was", async (t) => {
    const { change, text } = await open(t, "# mine\nmodel:\n  default: big # best\n");
    const before = await text();
    await change(false, "todo", "browser_type");
    assert.deepEqual(await change(true, "browser", "todo"), ["browser_type", "todo"]);
    assert.equal((await text()).replace(/tools:\s*$/, ""), before);
  });

  test("one tool of a set that is off comes back alone", async (t) => {
    const { change, off, home } = await open(t, "tools:\n  disabled: [browser, todo]\n");
    assert.deepEqual(await change(true, "browser_click"), ["browser_click"]);
    assert.deepEqual(off(), ["browser_back", "browser_type", "todo"]);
    const { disabled } = (await home.load()).config.tools;
    assert.deepEqual([...disabled].toSorted(), ["browser_back", "browser_type", "todo"]);
  });

  test("a name that a tool and a set have means the set", async (t) => {
    const { change } = await open(t);
    assert.deepEqual(await change(false, "terminal"), ["process", "terminal"]);
    await assert.rejects(change(true, "process"), {
      name: "Refusal",
      message: /process cannot be on while terminal is off/,
    });
    assert.deepEqual(await change(true, "terminal"), ["process", "terminal"]);
    assert.deepEqual(await change(false, "process"), ["process"]);
  });

  test("an unknown name is refused with the nearest one, and nothing is written", async (t) => {
    const { change, text } = await open(t, "# mine\n");
    await assert.rejects(change(false, "todo", "browsr"), {
      name: "Refusal",
      code: "usage",
      message: /called "browsr"\. Nothing was changed/,
      next: /^Did you mean browser\? /,
    });
    await assert.rejects(change(false), { name: "Refusal", message: /Name a tool/ });
    assert.equal(await text(), "# mine\n");
  });

  test("what is not there any more can be taken out of the list", async (t) => {
    const { change, home } = await open(t, "tools:\n  disabled: [gone, todo]\n");
    assert.deepEqual(await change(true, "gone"), []);
    assert.deepEqual((await home.load()).config.tools.disabled, ["todo"]);
  });

  test("a server of the settings can be switched before anybody knows its tools", async (t) => {
    const { change, home } = await open(t, "mcp_servers:\n  notes: { command: notes }\n");
    assert.deepEqual(await change(false, "mcp-notes"), []);
    assert.deepEqual((await home.load()).config.tools.disabled, ["mcp-notes"]);
    await assert.rejects(change(false, "mcp-others"), { name: "Refusal" });
  });

  test("what somebody else has written since the start is kept", async (t) => {
    const { change, home, off } = await open(t, "tools:\n  disabled: []\n");
    await writeFile(home.config, "tools:\n  disabled: [process]\n");
    await change(false, "todo");
    assert.deepEqual((await home.load()).config.tools.disabled, ["process", "todo"]);
    assert.deepEqual(off(), ["process", "todo"]);
  });

  test("when the file cannot be changed, nothing changes here", async (t) => {
    const { change, home, off } = await open(t);
    await writeFile(home.config, "tools: [\n");
    await assert.rejects(change(false, "todo"), { name: "FaultError" });
    assert.deepEqual(off(), []);
  });
});

test("whatever is switched, exactly what was named last is off or on, and the file says the same", async (t) => {
  const name = fc.constantFrom(...new Set(tools.flatMap((tool) => [tool.name, tool.toolset])));
  const step = fc.record({ name, on: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const { change, off, home } = await open(t);
      const wanted = new Set<string>();
      for (const { name: which, on } of steps) {
        const set = tools.filter(({ toolset }) => toolset === which);
        const meant = set.length > 0 ? set : tools.filter((tool) => tool.name === which);
        const done = await change(on, which).catch(() => undefined);
        if (done !== undefined) for (const tool of meant) wanted[on ? "delete" : "add"](tool.name);
      }
      assert.deepEqual(off().toSorted(), [...wanted].toSorted());
      const again = toolSwitches((await home.load()).config);
      assert.deepEqual(
        tools.filter((tool) => again.isOff(tool)).map((tool) => tool.name),
        off(),
      );
    }),
    { numRuns: 25 },
  );
});
