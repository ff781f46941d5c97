import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Audience, exposedOverMcp, isExposed, localTools } from "./exposed.ts";

const plain = { local: false, worker: false, canAsk: true };

describe("what other programs may be offered", () => {
  test("is this list and nothing else; whoever widens it changes this test", () => {
    assert.deepEqual(Object.fromEntries(exposedOverMcp), {
      session_search: "everyone",
      todo: "everyone",
      skills_list: "everyone",
      skill_view: "everyone",
      web_search: "everyone",
      web_extract: "everyone",
      browser_navigate: "everyone",
      browser_click: "everyone",
      browser_type: "everyone",
      browser_press: "everyone",
      browser_snapshot: "everyone",
      browser_scroll: "everyone",
      browser_back: "everyone",
      browser_get_images: "everyone",
      browser_console: "everyone",
      browser_vision: "everyone",
      vision_analyze: "everyone",
      image_generate: "everyone",
      text_to_speech: "everyone",
      kanban_show: "everyone",
      kanban_comment: "everyone",
      kanban_create: "everyone",
      kanban_list: "people",
      kanban_link: "people",
      kanban_unblock: "people",
      kanban_complete: "workers",
      kanban_block: "workers",
      kanban_heartbeat: "workers",
      delegate_task: "people",
      clarify: "people",
      memory: "people",
      skill_manage: "people",
      cronjob: "people",
    });
    assert.deepEqual(
      [...localTools],
      ["terminal", "process", "read_file", "write_file", "patch", "search_files"],
    );
  });

  test("has nothing for commands and files, unless it was asked for", () => {
    for (const name of localTools) {
      assert.equal(exposedOverMcp.has(name), false, name);
      assert.equal(isExposed(name, plain), false, name);
      assert.equal(isExposed(name, { ...plain, local: true }), true, name);
    }
  });

  test("has no tools of other MCP servers, and none that nobody has put on the list", () => {
    for (const name of ["mcp__files__read", "tool_search", "constructor", ""])
      assert.equal(isExposed(name, { local: true, worker: true, canAsk: true }), false, name);
  });

  test("has questions only where somebody can answer", () => {
    assert.equal(isExposed("clarify", plain), true);
    assert.equal(isExposed("clarify", { ...plain, canAsk: false }), false);
  });

  test("differs for a worker: neither what hands a task on, nor what asks back, but what is for workers alone", () => {
    const worker = { ...plain, worker: true };
    assert.equal(isExposed("delegate_task", worker), false);
    assert.equal(isExposed("clarify", worker), false);
    assert.equal(isExposed("todo", worker), true);
    const table = new Map<string, Audience>([["card_done", "workers"]]);
    assert.equal(isExposed("card_done", worker, table), true);
    assert.equal(isExposed("card_done", plain, table), false);
  });
});
