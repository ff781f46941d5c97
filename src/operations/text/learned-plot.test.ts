import assert from "node:assert/strict";
import { test } from "node:test";
import { learnedPlot } from "./learned-plot.ts";

const days = (rows: readonly (readonly [number, number, number?])[]) =>
  rows.map(([learned, used, calls], at) => ({
    day: new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10),
    learned,
    used,
    ...(calls === undefined ? {} : { calls }),
  }));

const some = days([
  [0, 0],
  [1, 0, 8],
  [4, 2, 4.5],
  [2, 8, 1],
  [0, 32, 0],
]);

test("a chart has a column for each day, and little is not nothing", () => {
  assert.equal(
    learnedPlot(some, { width: 60, unicode: true }),
    [
      "learned: changes of memory and skills",
      "     4┤  █",
      "      ┤  █",
      "      ┤  ██",
      "     0┤ ███",
      "used: learned things before turns",
      "    32┤    █",
      "      ┤    █",
      "      ┤    █",
      "     0┤  ▂██",
      "calls: tool calls for each turn",
      "     8┤ █",
      "      ┤ █▂",
      "      ┤ ██",
      "     0┤ ██▄",
      "      └─────",
      "       2026-01-01 2026-01-05",
    ].join("\n"),
  );
});

test("one among thousands is still seen", () => {
  const plot = learnedPlot(
    days([
      [1, 0],
      [9000, 0],
    ]),
    { width: 60, unicode: true },
  );
  assert.match(plot, /^ {5}0┤▁█$/m);
});

test("where only ASCII can be shown the chart is ASCII", () => {
  const plot = learnedPlot(some, { width: 60, unicode: false });
  // oxlint-disable-next-line no-control-regex
  assert.match(plot, /^[\x20-\x7e\n]+$/);
  assert.match(plot, /^ {5}0\| {2}:@@$/m);
});

test("days that do not fit are taken together, the newest whole", () => {
  const many = days(Array.from({ length: 45 }, (_, at) => [at >= 42 ? 1 : 0, 0] as const));
  const plot = learnedPlot(many, { width: 28, unicode: true });
  assert.match(plot, /Each column is 3 days\.$/);
  assert.match(plot, /^ {5}3┤ {14}█$/m);
  for (const line of plot.split("\n").filter((each) => each.includes("┤"))) assert.ok(line.length <= 28);
  assert.equal(plot, learnedPlot(many, { width: 28, unicode: true }));
});

test("nothing at all is said in words", () => {
  assert.match(learnedPlot([], { width: 5, unicode: true }), /^Nothing was learned or used/);
  const plot = learnedPlot(days([[0, 0]]), { width: 80, unicode: true });
  assert.equal(plot, "Nothing was learned or used from 2026-01-01 to 2026-01-01.");
});

test("a narrow terminal has both days of the axis, and no line is too long for it", () => {
  for (const width of [20, 24, 40, 80]) {
    const lines = learnedPlot(some, { width, unicode: true })
      .split("\n")
      .filter((line) => !line.includes(":"));
    assert.match(lines.join(" "), /2026-01-01.*2026-01-05/);
    for (const line of lines) assert.ok(line.length <= width, `${width}: ${line}`);
  }
});
