import type { TestContext } from "node:test";
import { type OperationsWorld, operationsSuite } from "../../operations/operations.suite.ts";
import { wordsSuite } from "../../operations/words.suite.ts";
import { httpEdge } from "./http-edge.suite.ts";
import { httpWorld } from "./world.suite.ts";

const world = async (t: TestContext): Promise<OperationsWorld> => {
  const opened = await httpWorld(t, { settings: "http:\n  per_minute: 100000\n" });
  const keys = new Map<string, Promise<string>>();
  return {
    cwd: opened.cwd,
    connect(caller) {
      const name = JSON.stringify(caller);
      const key = keys.get(name) ?? opened.keyFor(caller);
      keys.set(name, key);
      return httpEdge(opened.origin, () => key);
    },
  };
};

operationsSuite("over HTTP", world);
wordsSuite("over HTTP", world);
