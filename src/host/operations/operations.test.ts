import type { TestContext } from "node:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "../../../test/temp-folder.ts";
import { edge } from "../../operations/edge.ts";
import { type OperationsWorld, operationsSuite } from "../../operations/operations.suite.ts";
import { wordsSuite } from "../../operations/words.suite.ts";
import { openHost } from "../index.ts";

const world = async (t: TestContext): Promise<OperationsWorld> => {
  const folder = await testFolder(t);
  const [home, cwd] = [join(folder, "home"), join(folder, "work")];
  await mkdir(cwd, { recursive: true });
  const env = { PATH: process.env["PATH"], HOME: folder, TALARIA_HOME: home };
  const host = await openHost({ env, homeDir: folder, cwd, version: "test" });
  t.after(() => host[Symbol.asyncDispose]());
  return { cwd, connect: (caller) => edge(host.as(caller)) };
};

operationsSuite("in process", world);
wordsSuite("in process", world);
