import { parseArgs } from "node:util";
import { install } from "./install.ts";
import { npm } from "./npm.ts";
import { runSuite } from "./run-suite.ts";
import { type VersionResult, judge, table } from "./verdict.ts";
import { defaultVersions, releasesInRange } from "./versions.ts";

const { values, positionals } = parseArgs({ options: { all: { type: "boolean" } }, allowPositionals: true });
const results: VersionResult[] = [];
for (const version of await wanted()) {
  console.error(`codex ${version}`);
  results.push(judge(version, await runSuite(await install(version))));
}
const failed = results.filter((result) => result.failed.length > 0).map(({ version }) => version);
// Of the others only the table tells: they are looked at when one of them is to be supported.
const pass = !failed.some((version) => !values.all || defaultVersions.includes(version));
console.log(table(results));
console.log(JSON.stringify({ bench: "codex-versions", versions: results, failed, pass }));
process.exitCode = pass ? 0 : 1;

async function wanted(): Promise<readonly string[]> {
  if (values.all !== true) return positionals.length > 0 ? positionals : defaultVersions;
  const published = JSON.parse(await npm(["view", "@openai/codex", "versions", "--json"])) as string[];
  return releasesInRange(published);
}
