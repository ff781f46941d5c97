import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { type ApprovalState, type Choice } from "../../core/asking.ts";
import { choiceWords, decidedText } from "../../core/asking-words.ts";
import { toFailure } from "../../core/failure.ts";
import type { Client } from "../../core/calls.ts";
import { isPlainObject } from "../../core/json.ts";
import { begunCall } from "./call-updates.ts";
import { callView } from "./call-view.ts";
import { plannedContent } from "./diff-content.ts";
import type { Editor } from "./editor.ts";
import { codeBlock } from "./markdown.ts";
import type { SessionWriter } from "./session-writer.ts";

export type PermissionParts = {
  readonly host: Client<"approvals.answer">;
  readonly editor: Pick<Editor, "askPermission">;
  readonly writer: SessionWriter;
  readonly session: string;
  /** By the protocol, an editor gives up a question only when it gives up the turn. */
  readonly cancel: () => void;
};

/**
 * Asks the editor what a turn asks the person. The question itself is kept by the host: whoever answers first, here or
 * elsewhere, decides, and an editor that cannot ask leaves it open for others until its time is over.
 */
export interface Permissions {
  /** `call`: the call in the editor that it is about. */
  handle(approval: ApprovalState, call: string | undefined): Promise<void>;
  closeAll(): void;
}

type OpenRequest = {
  readonly withdrawn: AbortController;
  readonly call: string;
  /** It has a call of its own in the editor, which has to be closed. */
  readonly hasOwnCall: boolean;
  answered: boolean;
};

export function permissions(parts: PermissionParts): Permissions {
  const { writer } = parts;
  const open = new Map<string, OpenRequest>();
  const close = (id: string): OpenRequest | undefined => {
    const found = open.get(id);
    open.delete(id);
    found?.withdrawn.abort();
    return found;
  };
  return {
    async handle(approval, call) {
      const { id, decision } = approval;
      if (decision === undefined) {
        if (open.has(id)) return;
        const begun = { withdrawn: new AbortController(), call: call ?? id, hasOwnCall: call === undefined };
        const asked: OpenRequest = { ...begun, answered: false };
        open.set(id, asked);
        if (asked.hasOwnCall) writer.send(begunCall(id, approval.question, approval.question.cwd, false));
        void ask(parts, approval, await requestOf(parts, approval, asked), asked);
        return;
      }
      const asked = close(id);
      if (asked === undefined) return;
      const allowed = decision.choice !== "deny";
      const status = asked.hasOwnCall
        ? allowed
          ? "completed"
          : "failed"
        : allowed
          ? "in_progress"
          : "failed";
      writer.send({ sessionUpdate: "tool_call_update", toolCallId: asked.call, status });
      // A person who has just answered, or stopped the turn, knows that.
      const isKnown = asked.answered || decision.why === "withdrawn";
      const said = isKnown ? undefined : decidedText(approval);
      if (said !== undefined) writer.remark(`${approval.question.summary}: ${said}`);
    },
    closeAll() {
      for (const id of open.keys()) close(id);
    },
  };
}

async function requestOf(
  { session: sessionId }: PermissionParts,
  { question, shown, choices }: ApprovalState,
  { call: toolCallId }: OpenRequest,
): Promise<RequestPermissionRequest> {
  const text = codeBlock(shown.join("\n"));
  const diffs = await plannedContent(question);
  return {
    sessionId,
    toolCall: {
      toolCallId,
      ...callView(question.tool, question.args, question.cwd),
      status: "pending",
      content: [...diffs, { type: "content", content: { type: "text", text } }],
    },
    options: choices.map(optionOf),
  };
}

const optionOf = (choice: Choice): PermissionOption => ({
  optionId: choice,
  name: choiceWords[choice].replace(/^./, (letter) => letter.toUpperCase()),
  kind: kinds[choice],
});

const kinds: Readonly<Record<Choice, PermissionOptionKind>> = {
  once: "allow_once",
  session: "allow_always",
  always: "allow_always",
  deny: "reject_once",
};

async function ask(
  parts: PermissionParts,
  approval: ApprovalState,
  request: RequestPermissionRequest,
  asked: OpenRequest,
): Promise<void> {
  const { host, editor, writer, cancel } = parts;
  const { signal } = asked.withdrawn;
  try {
    const answer = answerOf(await editor.askPermission(request, signal), approval.choices);
    if (answer === "cancelled") return cancel();
    asked.answered = true;
    const answered = await host.call("approvals.answer", { approval: approval.id, choice: answer });
    asked.answered = answered.outcome === "taken";
    if (answered.outcome === "refused") throw new Error(answered.why);
  } catch (error) {
    asked.answered = false;
    if (signal.aborted) return;
    writer.remark(cannotAsk(approval, error));
  }
}

/** Anything else than what was offered is no answer. */
function answerOf(response: RequestPermissionResponse, choices: readonly Choice[]): Choice | "cancelled" {
  const said: unknown = response;
  const outcome = isPlainObject(said) ? said["outcome"] : undefined;
  const fields = isPlainObject(outcome) ? outcome : {};
  if (fields["outcome"] === "cancelled") return "cancelled";
  const choice = choices.find((each) => each === fields["optionId"]);
  if (fields["outcome"] === "selected" && choice !== undefined) return choice;
  throw new Error("it gave an answer that was not offered");
}

const cannotAsk = ({ id, question }: ApprovalState, error: unknown): string =>
  [
    `The editor could not ask whether this may be done: ${question.summary} (${toFailure(error).message}).`,
    `→ Answer in a terminal: talaria approvals answer ${id} once (or deny). Without an answer it is not done.`,
  ].join("\n");
