import { demoScript } from "../../../test/fakes/demo-replies.ts";
import { systemClock } from "../../lib/clock.ts";
import { startDemoModel } from "../../models/demo/server.ts";
import { stream } from "../../models/stream.ts";
import { runtimeSuite } from "../runtime.suite.ts";
import { loopRuntime } from "./loop.ts";

for (const protocol of ["responses", "chat"] as const) {
  runtimeSuite(`loop on ${protocol}`, async (replies) => {
    const model = await startDemoModel({ clock: systemClock, script: demoScript(replies) });
    const route = { name: "demo", protocol, url: model.url, headers: {}, model: "demo" };
    const runtime = loopRuntime({ stream, route: async () => route });
    return {
      runtime,
      seenByModel: () => model.requests.map((request) => JSON.stringify(request.body)),
      [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
    };
  });
}
