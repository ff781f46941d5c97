import type { Answers, ApprovalState, Choice, InquiryState } from "../../core/asking.ts";
import { type Host, Refusal } from "../../core/host.ts";
import { asId } from "../../core/ids.ts";
import { type Fields, fieldsOf } from "../../core/json.ts";
import { short } from "../../core/plain-text.ts";
import type { OfferedTool, OpenTools, ToolAsker, ToolResult, ToolServer } from "../../core/tooling.ts";
import type { RpcPeer } from "../../lib/rpc/rpc-peer.ts";

/** Our tools for the program at the other end of a connection. */
export type ToolDoor = AsyncDisposable & {
  /** Rejects with a Refusal when what it wants is not offered. */
  open(given: Fields): Promise<void>;
  list(given: Fields): Promise<readonly OfferedTool[]>;
  call(given: Fields, signal: AbortSignal): Promise<ToolResult>;
};

type Line = Pick<RpcPeer, "notify" | "request">;

const longestName = 60;

/** Who calls is said again with every call: a program names itself only after it was started. */
export function toolDoor(openTools: Host["openTools"], surface: string, peer: Line): ToolDoor {
  let opened: Promise<ToolServer> | undefined;
  let client: Fields = {};
  const asker = askerAt(peer, () => client["canAsk"] === true);
  const caller = (): string => short(String(client["name"] ?? ""), longestName);
  const server = async (given: Fields): Promise<ToolServer> => {
    client = fieldsOf(given["client"]);
    if (opened === undefined) throw new Refusal("usage", "No tools were opened.", "Open them first.");
    return opened;
  };
  return {
    async open(given) {
      opened ??= openTools({ ...wanted(given), surface, caller, asker });
      // Who asked for what is not offered may ask for something else.
      await opened.catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    },
    list: async (given) => (await server(given)).list(),
    async call(given, signal) {
      const { call, name, args, progress } = given;
      const tell = (text: string): void => peer.notify("progress", { call, text });
      const tools = await server(given);
      return tools.call(String(name), args, signal, progress === true ? tell : undefined);
    },
    async [Symbol.asyncDispose]() {
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}

const wanted = ({
  session,
  cwd,
  local,
  worker,
  task,
  only,
}: Fields): Omit<OpenTools, "surface" | "caller" | "asker"> => ({
  session: asId<"ses">(String(session)),
  cwd: String(cwd),
  local: local === true,
  worker: worker === true,
  ...(typeof task === "string" ? { task } : {}),
  ...(Array.isArray(only) ? { only: only.map(String) } : {}),
});

let lastQuestion = 0;

/** Whoever is asked hears when the question is closed elsewhere. */
function askerAt(peer: Line, canAsk: () => boolean): ToolAsker {
  const put = async (method: string, asked: object, signal: AbortSignal): Promise<unknown> => {
    const question = (lastQuestion += 1);
    const closed = (): void => peer.notify("closed", { question });
    signal.addEventListener("abort", closed, { once: true });
    try {
      return await peer.request(method, { question, ...asked }, signal);
    } finally {
      signal.removeEventListener("abort", closed);
    }
  };
  return {
    canAsk,
    permit: async (approval: ApprovalState, signal) => (await put("permit", { approval }, signal)) as Choice,
    inform: async (inquiry: InquiryState, signal) =>
      ((await put("inform", { inquiry }, signal)) ?? undefined) as Answers | undefined,
  };
}
