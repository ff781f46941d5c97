import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { testFolder } from "../../test/temp-folder.ts";
import { FaultError } from "../core/faults.ts";
import type { Fault } from "../core/faults.ts";
import { findingText, loadConfig } from "./config.ts";
import type { Environment, Flags, Loaded } from "./config.ts";

export type TempHome = {
  readonly home: string;
  readonly config: string;
  load(said?: { readonly env?: Environment; readonly flags?: Flags }): Promise<Loaded>;
  /** Warnings and faults with the folder's name taken out. */
  plain(text: string): string;
};

/** A home in a temporary folder that goes away with the test. Files are private unless the test changes that. */
export async function tempHome(
  t: TestContext,
  files: { readonly config?: string; readonly env?: string } = {},
): Promise<TempHome> {
  const home = await testFolder(t);
  const config = join(home, "config.yaml");
  if (files.config !== undefined) await writeFile(config, files.config);
  if (files.env !== undefined) {
    await writeFile(join(home, ".env"), files.env);
    await chmod(join(home, ".env"), 0o600);
  }
  return {
    home,
    config,
    load: ({ env = {}, flags = {} } = {}) =>
      loadConfig({ env: { TALARIA_HOME: home, ...env }, flags, homeDir: home }),
    plain: (text) => text.replaceAll(`${home}/`, ""),
  };
}

export const warningsOf = ({ plain }: TempHome, loaded: Pick<Loaded, "warnings">): readonly string[] =>
  loaded.warnings.map((warning) => plain(findingText(warning)));

/** The fault that a call ends with; a call that succeeds fails the test. */
export async function faultOf(home: TempHome, call: Promise<unknown>): Promise<Fault> {
  const error = await call.then(
    () => assert.fail("expected a fault"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FaultError, `expected a FaultError, got ${String(error)}`);
  return { ...error.fault, message: home.plain(error.fault.message), next: home.plain(error.fault.next) };
}
