import type { EndedEvent } from "../../core/events.ts";
import type { AllowedCommand, CheckResult } from "../../core/goal.ts";
import { type SessionId, asId } from "../../core/ids.ts";
import type { Runtime } from "../runtime.ts";

export type ScriptDeps = {
  /** What is to be run in this session now. `undefined`: nothing, or it has been run. */
  readonly scriptOf: (session: SessionId) => Promise<Pick<AllowedCommand, "command" | "cwd"> | undefined>;
  /** Runs it in the sandbox. */
  readonly run: (wanted: AllowedCommand, signal: AbortSignal) => Promise<CheckResult>;
};

/** Work without a model: a command that its owner has allowed, whose output is the answer. What is said in the session is never run. */
export const scriptRuntime = ({ scriptOf, run }: ScriptDeps): Runtime => ({
  name: "script",
  async *run({ id, session, cwd }, { signal }) {
    yield { type: "started", runtime: "script", model: "none", cwd };
    const script = await scriptOf(session).catch(() => undefined);
    if (script === undefined)
      return yield failed("A script was run in this session, and nothing else is.", "");
    const ran = await run({ ...script, session }, signal);
    if (signal.aborted) return yield { type: "ended", outcome: "interrupted", text: "", calls: 0 };
    if ("refused" in ran) return yield failed(`The script could not be run: ${ran.refused}`, "");
    // Who has nothing to say is not told of.
    const said = ran.output.trim();
    const text = said === "" || said === "[no output]" ? "[SILENT]" : said;
    yield { type: "item", item: { id: asId<"itm">(`${id}_0`), kind: "text", text, phase: "answer" } };
    yield ran.exitCode === 0
      ? { type: "ended", outcome: "done", text, calls: 0 }
      : failed(`The script ended with exit code ${ran.exitCode}.`, text);
  },
  steer: async () => "refused",
  recover: async () => [],
  async [Symbol.asyncDispose]() {},
});

const failed = (message: string, text: string): EndedEvent => ({
  type: "ended",
  outcome: "failed",
  fault: { code: "refused", message, next: "`talaria cron edit` changes what it runs." },
  text,
  calls: 0,
});
