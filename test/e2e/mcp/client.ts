import {
  Client,
  type ClientCapabilities,
  type ElicitRequest,
  type ElicitResult,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Talaria } from "../talaria.ts";

/** `talaria mcp` as a client of the protocol's own library sees it. */
export type Connected = AsyncDisposable & {
  readonly client: Client;
  readonly pid: number;
  /** What it has written for people so far. */
  stderr(): string;
  /** Names of what it offers, in their order. */
  names(): Promise<readonly string[]>;
  call(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Called>;
};

export type Called = { readonly text: string; readonly isError: boolean };

type CallOptions = Parameters<Client["callTool"]>[1];

export type ConnectOptions = {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Answers questions; without it the client cannot show any. */
  readonly elicit?: (
    asked: ElicitRequest["params"],
    signal: AbortSignal,
  ) => ElicitResult | Promise<ElicitResult>;
};

export async function connected(it: Talaria, options: ConnectOptions = {}): Promise<Connected> {
  const { elicit } = options;
  const transport = new StdioClientTransport({
    command: it.world.program,
    args: ["mcp", ...(options.args ?? [])],
    env: { ...it.world.env, ...options.env },
    cwd: options.cwd ?? it.cwd,
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (chunk) => (stderr += String(chunk)));
  const capabilities: ClientCapabilities = elicit === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: "tester", version: "1" }, { capabilities });
  if (elicit !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => elicit(params, mcpReq.signal));
  await client.connect(transport);
  return {
    client,
    pid: transport.pid ?? 0,
    stderr: () => stderr,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args = {}, how) {
      const { content, isError = false } = await client.callTool({ name, arguments: args }, how);
      const parts = content as readonly { readonly text?: string }[];
      return { text: parts.map(({ text = "" }) => text).join(""), isError };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
