import assert from "node:assert/strict";
import { test } from "node:test";
import { type ItemId, asId } from "../../../core/ids.ts";
import { type Terminal, TuiMainScreen } from "../toolkit.ts";
import { viewBench } from "./view-bench.suite.ts";

const id = (name: string): ItemId => asId(name);

/** How a terminal is told to forget everything and to be painted anew. */
const wipe = "\u001B[2J";

const nothing = (): void => {};

/** A terminal of 24 rows that nobody looks at. */
function terminal(): { readonly screen: Terminal; written(): string } {
  let written = "";
  const screen = {
    columns: 80,
    rows: 24,
    kittyProtocolActive: false,
    start: nothing,
    stop: nothing,
    drainInput: async () => {},
    write: (data: string) => void (written += data),
    moveBy: nothing,
    hideCursor: nothing,
    showCursor: nothing,
    clearLine: nothing,
    clearFromCursor: nothing,
    clearScreen: nothing,
    setTitle: nothing,
    setProgress: nothing,
  };
  return { screen, written: () => written };
}

test("a long turn never repaints what has scrolled away", () => {
  const { screen, written } = terminal();
  const { view, say, pass } = viewBench();
  const tui = new TuiMainScreen(screen);
  tui.addChild(view.component);
  const paint = (): void => {
    pass(100);
    tui.renderNow();
  };
  const begin = (name: string): void =>
    say({ type: "begin", item: { id: id(name), kind: "call", tool: "terminal", args: { command: name } } });
  const finish = (name: string): void =>
    say({
      type: "item",
      item: {
        id: id(name),
        kind: "call",
        callId: name,
        tool: "terminal",
        args: { command: name },
        output: "x\n".repeat(30),
        ok: false,
        diff: `--- a\n+++ a\n@@ -0,0 +1,50 @@\n${"+y\n".repeat(50)}`,
      },
    });
  view.user({ id: "1", text: "go" });
  view.user({ id: "2", text: "and then", state: "queued" });
  for (const name of ["a", "b", "c", "d", "e"]) begin(name);
  for (let at = 0; at < 30; at += 1) {
    say({ type: "delta", item: id(["a", "b", "c"][at % 3] ?? "a"), of: "output", text: `line ${at}\n` });
    paint();
  }
  for (const name of ["d", "b", "e"]) {
    finish(name);
    paint();
    say({ type: "delta", item: id("a"), of: "output", text: "still going\n" });
    paint();
  }
  for (const name of ["a", "c"]) finish(name);
  const words = [
    "A paragraph with *some* words in it.\n\n",
    "- one\n",
    "- two\n\n",
    "```ts\n",
    "code();\n",
    "```\n",
  ];
  for (let at = 0; at < 300; at += 1) {
    say({ type: "delta", item: id("z"), of: "text", text: words[at % words.length] ?? "" });
    if (at % 100 === 50) view.note("said in between");
    paint();
  }
  assert.ok(view.component.render(80).length > 300);
  assert.equal(written().includes(wipe), false);
});
