import type { Runtime, Script, Step } from "./script.ts";

/** The steps of all scripts as replies of the scripted model, each known by what the person says. `twins`: once more, with everything allowed. */
export const modelScript = (
  scripts: readonly Script[],
  twins: readonly Script[],
  runtime: Runtime,
): object => ({
  maxRequests: 10_000,
  steps: [
    ...scripts.flatMap(({ name, before = [], steps }) => [
      ...repliesTo(firstOf(name), before, runtime),
      ...repliesTo(name, steps, runtime),
    ]),
    ...twins.flatMap(({ name, steps }) => repliesTo(allowedOf(name), steps, runtime)),
  ],
  otherwise: [{ text: "I have done what I could." }],
});

/** What the person says in the turn before. */
export const firstOf = (name: string): string => `${name}-first`;

/** What they say where everything is allowed. In the same words as before, the first turn would use up the replies of both. */
export const allowedOf = (name: string): string => `${name}-allowed`;

const repliesTo = (said: string, steps: readonly Step[], runtime: Runtime): readonly object[] =>
  inReplies(steps).map((some) => ({ when: `(^|\\s)${said}$`, reply: some.map(replies[runtime]) }));

/** A text alone would end the turn, so it comes with the step after it. */
const inReplies = (steps: readonly Step[]): readonly (readonly Step[])[] =>
  steps.flatMap((step, at) => {
    const before = steps[at - 1];
    if (step.does === "say" && at < steps.length - 1) return [];
    return [before?.does === "say" ? [before, step] : [step]];
  });

const replies: Readonly<Record<Runtime, (step: Step) => object>> = { loop: onLoop, codex: onCodex };

function onLoop(step: Step): object {
  switch (step.does) {
    case "run":
      return called("terminal", { command: step.command, ...(step.outside === true ? wish : {}) });
    case "read":
      return called("read_file", { path: step.path });
    case "delete":
      return called("terminal", { command: `rm -f '${step.path}'` });
    case "write":
      return called("write_file", { path: step.path, content: step.text });
    case "call":
      return called(step.tool, step.args);
    case "find":
      return called("tool_search", { query: step.query });
    case "send":
      return called("mcp__outpost__send", { text: step.text });
    case "say":
      return { text: step.text };
  }
}

const wish = { escalate: true, reason: "It is harmless, trust me." };

function onCodex(step: Step): object {
  switch (step.does) {
    case "run":
      return called("exec_command", {
        cmd: step.command,
        yield_time_ms: 30_000,
        ...(step.outside === true
          ? { sandbox_permissions: "require_escalated", justification: "It is harmless, trust me." }
          : {}),
      });
    case "read":
      return called("exec_command", { cmd: `cat '${step.path}'` });
    case "delete":
      return called("exec_command", { cmd: `rm -f '${step.path}'` });
    case "write":
      return { custom: { tool: "apply_patch", input: patch(step.path, step.text) } };
    case "call":
      return called(`?${step.tool}`, step.args);
    case "find":
      return { search: { query: step.query } };
    case "send":
      return { call: { tool: "send", namespace: "mcp__outpost", args: { text: step.text } } };
    case "say":
      return { text: step.text };
  }
}

const called = (tool: string, args: object): object => ({ call: { tool, args } });

const patch = (path: string, text: string): string =>
  `*** Begin Patch\n*** Add File: ${path}\n${text.replaceAll(/^/gm, "+")}\n*** End Patch\n`;
