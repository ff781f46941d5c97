import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { onLoopback } from "../../../test/loopback.ts";
import { newFolder } from "../../../test/temp-folder.ts";
import type { Decision, Question } from "../../core/asking.ts";
import { asId } from "../../core/ids.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { processRows } from "../../lib/process/process-table.ts";
import { netGuard } from "../net/guard.ts";
import { toolBox } from "../registry.ts";
import type { ToolBox, ToolResult } from "../tool.ts";
import { type BrowserOptions, browserTools, findChromium } from "./browser-tools.ts";
import { ownersTurn } from "../../../test/owners-turn.ts";

const found = findChromium(undefined, process.env["PATH"]);

/** For `test`'s options: tests of the real browser say that they were left out. */
export const needsChromium = "missing" in found ? { skip: "chromium is not installed" } : {};

export type Handler = (request: IncomingMessage, answer: ServerResponse) => void;

export type Site = AsyncDisposable & {
  readonly place: string;
  readonly origin: string;
  /** Method and path of each request. */
  readonly hits: string[];
  readonly server: Server;
};

export async function startSite(handle: Handler): Promise<Site> {
  const hits: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, answer) => {
    hits.push(`${request.method} ${request.url}`);
    handle(request, answer);
  });
  server.on("upgrade", (request, socket) => {
    hits.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const bound = await onLoopback(server);
  return {
    place: `127.0.0.1:${bound.port}`,
    origin: bound.origin,
    hits,
    server,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await bound[Symbol.asyncDispose]();
    },
  };
}

/** Pages by path; what is not there is a 404. */
export const pages =
  (bodies: Readonly<Record<string, string | Handler>>): Handler =>
  (request, answer) => {
    const body = bodies[URL.parse(request.url ?? "", "http://x")?.pathname ?? ""];
    if (typeof body === "function") return body(request, answer);
    answer.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" });
    return void answer.end(body ?? "nothing here");
  };

export type BrowserBench = AsyncDisposable & {
  readonly folder: string;
  readonly asked: Question[];
  decision: Decision;
  /** Called while a question is open. */
  onAsk: () => Promise<void>;
  readonly childVariable: string;
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  /** The same browser as another session sees it. */
  session(id: string): ToolBox;
  close(): Promise<void>;
};

type Options = Partial<BrowserOptions> & { readonly allowed: readonly string[] };

/** The tools as a model meets them, on the real browser, in a folder that is removed. */
export async function browserBench({ allowed, ...world }: Options): Promise<BrowserBench> {
  const top = await newFolder();
  const folder = world.folder ?? join(top, "run");
  const childVariable = `BROWSER_TEST_${randomUUID().replaceAll("-", "")}`;
  const clock: Clock = world.clock ?? systemClock;
  const { tools, ...rest } = browserTools({
    guard: netGuard({ allowPrivate: allowed }),
    access: {
      isKnown: async () => false,
      hasSecret: (text) => text.includes("sk-secret"),
      askUnknown: true,
      allowPrivate: allowed,
    },
    describe: async () => ({ unavailable: "no model that sees is set up." }),
    askMs: 300_000,
    folder,
    env: process.env,
    processes: { add: async () => {}, remove: async () => {} },
    childVariable,
    clock,
    ...world,
  });
  const session = (id: string): ToolBox =>
    toolBox(tools, {
      session: asId<"ses">(id),
      turn: asId<"trn">("trn_1"),
      ...ownersTurn,
      cwd: top,
      clock,
      inquire: async () => undefined,
      async ask(question) {
        bench.asked.push(question);
        await bench.onAsk();
        return bench.decision;
      },
    });
  const own = session("ses_0000000001");
  const bench: BrowserBench = {
    folder,
    asked: [],
    decision: { choice: "once", why: "person" },
    onAsk: async () => {},
    childVariable,
    session,
    call: (name, args = {}, signal = new AbortController().signal) => own.call(name, args, signal),
    close: async () => rest[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await rest[Symbol.asyncDispose]();
      await rm(top, { recursive: true, force: true });
    },
  };
  return bench;
}

/** Live processes that carry this mark, and what came from them: Chromium's children hide their environment. */
export function running(
  childVariable: string,
): readonly { readonly pid: number; readonly command: string }[] {
  const rows = processRows().filter(({ zombie }) => !zombie);
  const members = new Set(rows.filter(({ pid }) => textOf(pid, "environ").includes(childVariable)));
  for (const member of members) for (const row of rows) if (row.parent === member.pid) members.add(row);
  return [...members].map(({ pid }) => ({ pid, command: textOf(pid, "cmdline").replaceAll("\0", " ") }));
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // it has ended
  }
}

/** The ref of the first line of a snapshot that has these words. */
export function refOf(output: string, words: string): string {
  const line = output.split("\n").find((text) => text.includes(words) && text.includes("@"));
  const [, ref] = /@((?:f\d+)*e\d+)/.exec(line ?? "") ?? [];
  if (ref === undefined) throw new Error(`no ref for "${words}" in:\n${output}`);
  return `@${ref}`;
}

/** Waits until it is so; the test's own time limit ends it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.sleep(20, undefined, { hold: true });
}
