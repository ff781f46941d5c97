import { systemClock } from "../../src/lib/clock.ts";
import { type AppServer, startAppServer } from "../../src/runtimes/codex/process/app-server.ts";
import { AppServerGone } from "../../src/runtimes/codex/process/gone.ts";
import { type Bound, type BoundName, bounds } from "./bounds.ts";

/** One codex that goes too far, in a process of its own so that the memory is the wire's alone. Says what came of it. */
const name = process.argv[2] as BoundName;
process.stdout.write(`${JSON.stringify(await measure(name))}\n`);

async function measure(scenario: BoundName): Promise<Bound> {
  const { script, ask } = bounds[scenario];
  await using server = await start(script);
  const rssStart = process.memoryUsage.rss();
  const startedMs = systemClock.monotonic();
  const said = await ask(server).then(
    (answer) => ({ end: "answered", words: JSON.stringify(answer) }),
    (error: unknown) => ({
      end: error instanceof AppServerGone ? error.gone.reason : "other",
      words: String(error).slice(0, 200),
    }),
  );
  const ms = Math.round(systemClock.monotonic() - startedMs);
  const rssPeak = process.resourceUsage().maxRSS * 1024;
  return { name: scenario, ...said, ms, rssStart, rssPeak };
}

function start(script: string): Promise<AppServer> {
  const launch = {
    command: process.execPath,
    args: ["-e", script],
    env: { PATH: process.env["PATH"] ?? "" },
    home: "/nowhere",
    key: "",
    secrets: [],
  };
  return startAppServer(launch, {
    clock: systemClock,
    processes: { add: async () => {}, remove: async () => {} },
    signal: AbortSignal.timeout(60_000),
    optOut: [],
    clientVersion: "0",
  });
}
