import type { ApprovalState, InquiryState } from "../../core/asking.ts";
import { fieldsOf } from "../../core/json.ts";
import type { OfferedTool, OpenTools, ToolAsker, ToolResult, ToolServer } from "../../core/tooling.ts";
import { methodNotFound } from "../../lib/rpc/rpc-message.ts";
import type { RpcRequest } from "../../lib/rpc/rpc-peer.ts";

/** The tools of a host, over a connection to it. */
export type ToolLine = {
  open(options: OpenTools): Promise<ToolServer>;
  /** What the host says of a call or a question. */
  take(method: string, params: unknown): void;
  /** What the host asks the person here. */
  answer(request: RpcRequest): Promise<unknown>;
};

/** Asks the host; `cancel` is said to it when the signal aborts. */
type Ask = (method: string, params: (call: number) => object, signal: AbortSignal) => Promise<unknown>;

export function toolLine(ask: Ask): ToolLine {
  const told = new Map<unknown, (text: string) => void>();
  const questions = new Map<unknown, AbortController>();
  const never = new AbortController().signal;
  let asker: ToolAsker | undefined;
  return {
    async open({ asker: asking, caller, surface: _surface, ...options }) {
      asker = asking;
      const client = (): object => ({ name: caller(), canAsk: asking?.canAsk() === true });
      await ask("tools", () => options, never);
      return {
        list: async () => (await ask("offered", () => ({ client: client() }), never)) as OfferedTool[],
        async call(name, args, signal, progress) {
          const calls: number[] = [];
          const asked = (call: number): object => {
            calls.push(call);
            if (progress !== undefined) told.set(call, progress);
            return { name, args, client: client(), progress: progress !== undefined };
          };
          try {
            return (await ask("tool", asked, signal)) as ToolResult;
          } finally {
            for (const call of calls) told.delete(call);
          }
        },
        async [Symbol.asyncDispose]() {},
      };
    },
    take(method, params) {
      const { call, text, question } = fieldsOf(params);
      if (method === "progress") told.get(call)?.(String(text));
      if (method === "closed") questions.get(question)?.abort(new Error("the question is closed"));
    },
    async answer({ method, params, signal }) {
      const { question, approval, inquiry } = fieldsOf(params);
      if (asker === undefined || (method !== "permit" && method !== "inform")) throw methodNotFound(method);
      const closed = new AbortController();
      questions.set(question, closed);
      const over = AbortSignal.any([signal, closed.signal]);
      try {
        return method === "permit"
          ? await asker.permit(approval as ApprovalState, over)
          : await asker.inform(inquiry as InquiryState, over);
      } finally {
        questions.delete(question);
      }
    },
  };
}
