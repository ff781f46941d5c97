import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Offer, catalogue, dynamicTools, offered, offeredToCodex } from "./offered-tools.ts";

/** A change here changes what codex may call on our side: it should be meant. */
test("exactly these host tools may be offered to codex", () => {
  assert.deepEqual(
    [...offeredToCodex],
    [
      ["kanban_complete", "shown"],
      ["kanban_block", "shown"],
      ["kanban_show", "shown"],
      ["kanban_comment", "shown"],
      ["kanban_heartbeat", "shown"],
      ["kanban_create", "shown"],
      ["kanban_list", "shown"],
      ["kanban_link", "shown"],
      ["kanban_unblock", "shown"],
      ["skill_view", "shown"],
      ["skills_list", "shown"],
      ["memory", "shown"],
      ["skill_manage", "deferred"],
      ["session_search", "shown"],
      ["todo", "shown"],
      ["clarify", "shown"],
      ["send_file", "shown"],
      ["delegate_task", "shown"],
      ["cronjob", "deferred"],
      ["web_search", "shown"],
      ["web_extract", "shown"],
      ["browser_navigate", "deferred"],
      ["browser_click", "deferred"],
      ["browser_type", "deferred"],
      ["browser_press", "deferred"],
      ["browser_snapshot", "deferred"],
      ["browser_scroll", "deferred"],
      ["browser_back", "deferred"],
      ["browser_get_images", "deferred"],
      ["browser_console", "deferred"],
      ["browser_vision", "deferred"],
      ["vision_analyze", "deferred"],
      ["image_generate", "deferred"],
      ["text_to_speech", "deferred"],
    ],
  );
});

test("what reads, writes, searches or runs on the machine is never offered, nor our own search for tools", () => {
  const never = ["terminal", "process", "read_file", "write_file", "patch", "search_files", "tool_search"];
  for (const name of never) assert.equal(offeredToCodex.has(name), false, name);
  const box = { enabled: never, specs: never.map(spec) };
  assert.deepEqual(offered(box, offeredToCodex), { names: [], specs: [] });
});

const spec = (name: string) => ({
  name,
  description: `${name} it`,
  parameters: { type: "object" },
  interactive: false,
  deferred: false,
});

const offer: Offer = new Map([
  ["b", "shown"],
  ["a", "shown"],
  ["web_b", "deferred"],
  ["web_a", "deferred"],
  ["say", "deferred"],
]);
const boxOf = (specs: readonly string[], enabled = specs) => ({ specs: specs.map(spec), enabled });
const both = { nested: true, findable: true };

describe("what a thread is offered", () => {
  test("stands in one namespace, in the same order every time", () => {
    const tools = offered(boxOf(["b", "a", "c"]), offer);
    assert.equal(catalogue(tools), "a,b");
    assert.deepEqual(dynamicTools(tools, both), [
      {
        type: "namespace",
        name: "talaria",
        description: "What Talaria remembers and can do for this person beyond this thread.",
        tools: [
          { type: "function", name: "a", description: "a it", inputSchema: { type: "object" } },
          { type: "function", name: "b", description: "b it", inputSchema: { type: "object" } },
        ],
      },
    ]);
    assert.deepEqual(dynamicTools(offered(boxOf([]), offer), both), []);
  });

  test("is the same for an old codex, each with the name of the namespace", () => {
    const old = { nested: false, findable: true };
    assert.deepEqual(dynamicTools(offered(boxOf(["b", "say"]), offer), old), [
      { namespace: "talaria", name: "b", description: "b it", inputSchema: { type: "object" } },
      {
        namespace: "talaria",
        name: "say",
        description: "say it",
        inputSchema: { type: "object" },
        deferLoading: true,
      },
    ]);
    assert.deepEqual(dynamicTools(offered(boxOf([]), offer), old), []);
  });

  test("is found by a search where that is possible, and the thread is told what there is", () => {
    const tools = offered(boxOf(["web_b", "web_a", "say", "b"]), offer);
    const [found] = dynamicTools(tools, both) as readonly Namespace[];
    assert.match(found?.description ?? "", / Not listed, but found by a tool search: say, web_\*\.$/);
    assert.deepEqual(later(found), ["say", "web_a", "web_b"]);
    const [shown] = dynamicTools(tools, { nested: true, findable: false }) as readonly Namespace[];
    assert.doesNotMatch(shown?.description ?? "", /Not listed/);
    assert.deepEqual(later(shown), []);
    assert.equal(shown?.tools.length, 4);
  });
});

type Namespace = {
  readonly description: string;
  readonly tools: readonly { readonly name: string; readonly deferLoading?: boolean }[];
};

const later = (namespace: Namespace | undefined): readonly string[] =>
  (namespace?.tools ?? []).flatMap(({ name, deferLoading }) => (deferLoading === true ? [name] : []));

test("the catalogue follows what is switched on, not what can be used at the moment", () => {
  const all = offered(boxOf(["a", "b"]), offer);
  const gone = offered(boxOf(["a"], ["a", "b"]), offer);
  assert.equal(catalogue(gone), catalogue(all));
  assert.deepEqual(
    gone.specs.map(({ name }) => name),
    ["a"],
  );
  assert.equal(catalogue(offered(boxOf(["b", "a"]), offer)), catalogue(all));
  assert.notEqual(catalogue(offered(boxOf(["a"]), offer)), catalogue(all));
});
