import assert from "node:assert/strict";
import { glob } from "node:fs/promises";
import { describe, test } from "node:test";
import packageJson from "../package.json" with { type: "json" };
import { type Asked, type Outcome, askedFor, printed } from "./bench.ts";

const asked: Asked = { size: "full", isReport: false, seed: 7, flags: {} };
const said = (outcome: Partial<Outcome>, how: Partial<Asked> = {}) => {
  const whole = { figures: { turns: 3 }, faults: [], ...outcome };
  const { lines, errors, code } = printed("some", { isSeeded: true }, { ...asked, ...how }, whole);
  return { line: JSON.parse(lines.at(-1) ?? "") as Record<string, unknown>, lines, errors, code };
};
const slow = { ratio: { is: 1.8, atMost: 1.5 }, throughput: { is: 0.9, atLeast: 0.8 } };

describe("what is said of a bench", () => {
  test("a run that is as it should be passes, with its figures and its seed in the last line", () => {
    const { line, lines, errors, code } = said({ table: "for people" });
    assert.deepEqual(line, { bench: "some", size: "full", seed: 7, turns: 3, faults: 0, pass: true });
    assert.deepEqual([lines[0], errors, code], ["for people", [], 0]);
  });

  test("a missed target is told, and the run does not pass", () => {
    const { line, errors, code } = said({ targets: slow });
    assert.deepEqual(errors, ["missed: ratio is 1.8, asked for is at most 1.5"]);
    assert.deepEqual([line["pass"], code], [false, 1]);
    assert.deepEqual(line["targets"], {
      ratio: { is: 1.8, atMost: 1.5, met: false },
      throughput: { is: 0.9, atLeast: 0.8, met: true },
    });
  });

  test("with --report a missed target is told all the same, and the exit code is that of success", () => {
    const { line, errors, code } = said({ targets: slow }, { isReport: true });
    assert.deepEqual([line["pass"], errors.length, code], [false, 1, 0]);
  });

  test("a quick run says nothing about time, and a target that was not measured is neither met nor missed", () => {
    const quick = said({ targets: slow }, { size: "quick" });
    assert.deepEqual([quick.line["targets"], quick.line["pass"], quick.code], [undefined, true, 0]);
    const { line, code } = said({ targets: { ratio: { is: Number.NaN, atMost: 1 } } });
    assert.deepEqual(line["targets"], { ratio: { is: null, atMost: 1, met: "not measured" } });
    assert.equal(code, 0);
  });

  test("a run of a part that nobody knows has measured nothing, and does not pass", () => {
    const { line, errors, code } = said({ figures: { killed: undefined } });
    assert.deepEqual([line["pass"], errors, code], [false, ["broken: nothing was measured"], 1]);
  });

  test("a fault fails the run whatever its size and whatever is asked, and all are counted", () => {
    const faults = Array.from({ length: 25 }, (_, at) => `lost: ${at}`);
    const { line, errors, code } = said({ faults }, { size: "quick", isReport: true });
    assert.deepEqual([line["faults"], line["pass"], code], [25, false, 1]);
    assert.deepEqual([errors[0], errors.at(-1), errors.length], ["broken: lost: 0", "and 5 more", 21]);
  });
});

describe("the arguments of a bench", () => {
  const bench = { flags: ["part"], isSeeded: true } as const;

  test("choose the size, the seed and its own flags", () => {
    const given = askedFor("some", bench, ["--quick", "--report", "--seed", "42", "--part", "codex"]);
    assert.deepEqual(given, {
      size: "quick",
      isReport: true,
      seed: 42,
      flags: { seed: "42", part: "codex" },
    });
  });

  test("that nobody knows are refused, with those that are known", () => {
    for (const args of [["--fast"], ["--seed", "x"], ["codex"]])
      assert.match(
        String(askedFor("some", bench, args)),
        /Usage: npm run bench:some -- \[--quick\] \[--report\] \[--part …\] \[--seed …\]$/,
      );
  });
});

test("every bench is a command of its folder's name", async () => {
  const scripts: Readonly<Record<string, string>> = packageJson.scripts;
  const names = (await Array.fromAsync(glob("bench/*/bench.ts"))).map((path) => path.split("/")[1] ?? "");
  assert.ok(names.length > 10, `${names}`);
  for (const name of names) assert.equal(scripts[`bench:${name}`], `node bench/run.ts ${name}`);
});
