import { homedir } from "node:os";
import { resolve } from "node:path";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { fieldsOf, parsedJson } from "../../core/json.ts";
import { ChildInputError } from "../../lib/process/child-pipes.ts";
import { type Child, type ChildExit, spawnChild } from "../../lib/process/child.ts";
import { newMark } from "../../lib/process/process-mark.ts";
import { idInHead } from "../../lib/rpc/capped-lines.ts";
import { deepestJson, isTooDeep } from "../../lib/rpc/json-depth.ts";
import { lines } from "../../lib/rpc/jsonl.ts";
import { foreignLine } from "./foreign-text.ts";
import { type Link, type LinkDeps, maxMessageBytes } from "./link.ts";
import type { ServerProgram } from "./settings.ts";
import type { Variables } from "../../lib/process/variables.ts";

const grace = { inputMs: 500, termMs: 2_000 };
const maxWords = 600;

/** Starts the program of a server. Rejects with `SpawnError`. */
export async function programLink(
  name: string,
  { command, args, env, cwd }: ServerProgram,
  deps: LinkDeps,
): Promise<Link> {
  const { clock, processes, redact } = deps;
  const child = await spawnChild({
    command: fromHome(command),
    args,
    cwd: cwd === undefined ? deps.cwd : resolve(deps.cwd, fromHome(cwd)),
    env: serverEnvironment(deps.env, env),
    mark: newMark(deps.childVariable),
    kind: `mcp ${name}`,
    registry: processes,
    clock,
    grace,
  });
  const noise: string[] = [];
  let broken = "";
  let exit: ChildExit | undefined;
  void child.exited.then((end) => (exit = end));
  const transport = pipes(child, {
    onNoise: (line) => void (noise.length < 3 ? noise.push(redact(line).slice(0, 200)) : undefined),
    onBroken: (why) => void (broken = why),
  });
  return {
    transport,
    failureDetail() {
      const errors = foreignLine(redact(child.stderrTail()).slice(-maxWords), maxWords);
      const printed = foreignLine(noise.join(" "), 200);
      return [
        broken === "" ? endOf(exit) : broken,
        ...(errors === "" ? [] : [`it wrote last: ${errors}`]),
        ...(printed === "" ? [] : [`on its output stood what is no message: ${printed}`]),
      ]
        .filter((part) => part !== "")
        .join("; ");
    },
    [Symbol.asyncDispose]: async () => child[Symbol.asyncDispose](),
  };
}

const fromHome = (path: string): string => path.replace(/^~(?=\/)/, homedir());

/** Empty while it runs. */
function endOf(exit: ChildExit | undefined): string {
  if (exit === undefined) return "";
  return exit.signal === null ? `it ended with exit code ${exit.code}` : `it was ended by ${exit.signal}`;
}

type PipeListener = { onNoise(line: string): void; onBroken(why: string): void };

/** Messages are lines. What is no message is told and skipped: many programs print a greeting. */
function pipes(child: Child, listener: PipeListener): Transport {
  const over = Promise.withResolvers<void>();
  const transport: Transport = {
    async start() {
      void read();
    },
    async send(message) {
      try {
        await child.write(`${JSON.stringify(message)}\n`);
      } catch (error) {
        if (error instanceof ChildInputError && error.reason === "closed") {
          void child.kill().catch(() => {}); // without its input it is of no use either
          await over.promise; // its end says more than the pipe that broke
        }
        throw error;
      }
    },
    close: () => child.kill(),
  };
  const read = async (): Promise<void> => {
    try {
      for await (const line of lines(child.stdout, { maxBytes: maxMessageBytes })) {
        const message = messageIn(line);
        if (message !== undefined) transport.onmessage?.(message);
        if (message === undefined && line.trim() !== "") listener.onNoise(line);
      }
    } catch {
      listener.onBroken(`it sent a line of more than ${maxMessageBytes / 1024 / 1024} MiB and was ended`);
    }
    // Without its output it is of no use, even if it goes on.
    await child.kill().catch(() => {});
    await child.exited;
    transport.onclose?.();
    over.resolve();
  };
  return transport;
}

function messageIn(line: string): JSONRPCMessage | undefined {
  if (isTooDeep(line)) return tooDeep(line);
  const value = fieldsOf(parsedJson(line));
  return value["jsonrpc"] === "2.0" ? (value as JSONRPCMessage) : undefined;
}

/** An answer becomes an error for whoever waits for it; anything else is noise. */
function tooDeep(line: string): JSONRPCMessage | undefined {
  const id = idInHead(line);
  const message = `its message is nested deeper than ${deepestJson} levels and was not read`;
  return id === null ? undefined : { jsonrpc: "2.0", id, error: { code: -32_603, message } };
}

const passed: ReadonlySet<string> = new Set(
  [
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL"],
    ["LANG", "TERM", "TMPDIR"],
  ].flat(),
);

/** What the program of an MCP server gets: none of our keys, only what programs need to run, and what was written for it. */
function serverEnvironment(ours: Variables, own: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(ours).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  return { PATH: "/usr/local/bin:/usr/bin:/bin", ...Object.fromEntries(entries), ...own };
}

const isPassed = (name: string): boolean =>
  passed.has(name) || name.startsWith("LC_") || name.startsWith("XDG_");
