import { operationsSuite } from "../../operations/operations.suite.ts";
import { httpEdge } from "./http-edge.suite.ts";
import { httpWorld } from "./world.suite.ts";

operationsSuite("over HTTP", async (t) => {
  const world = await httpWorld(t, { settings: "http:\n  per_minute: 100000\n" });
  const keys = new Map<string, Promise<string>>();
  return {
    cwd: world.cwd,
    connect(caller) {
      const name = JSON.stringify(caller);
      const key = keys.get(name) ?? world.keyFor(caller);
      keys.set(name, key);
      return httpEdge(world.origin, () => key);
    },
  };
});
