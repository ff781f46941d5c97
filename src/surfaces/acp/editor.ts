import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  methods,
} from "@agentclientprotocol/sdk";
import { isPlainObject } from "../../core/json.ts";

/** What the editor said that it can show, beside what every one can. */
export type Abilities = {
  /** Lines of their own beside the conversation. */
  readonly notices: boolean;
  /** Questions with fields to fill in. */
  readonly forms: boolean;
  /** The output of a command as it comes, by the convention of `_meta.terminal_output`. */
  readonly terminals: boolean;
};

/** The other side. What is sent to one that has left is dropped: whoever waits for it hears so by `ask…`. */
export interface Editor {
  readonly can: Abilities;
  update(session: string, update: SessionUpdate): void;
  /** Rejects when the editor cannot ask, has left, or the signal says that nobody needs the answer. */
  askPermission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  askForm(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
}

export function editorOf(client: AgentContext, capabilities: ClientCapabilities | undefined): Editor {
  return {
    can: abilitiesOf(capabilities),
    update: (sessionId, update) =>
      void client.notify(methods.client.session.update, { sessionId, update }).catch(() => {}),
    askPermission: (request, signal) =>
      client.request(methods.client.session.requestPermission, request, cancelledBy(signal)),
    askForm: (request, signal) =>
      client.request(methods.client.elicitation.create, request, cancelledBy(signal)),
  };
}

/** An answer that comes all the same is dropped. */
const cancelledBy = (cancellationSignal: AbortSignal) => ({ cancellationSignal, stopWaitingOnCancel: true });

function abilitiesOf(capabilities: ClientCapabilities | undefined): Abilities {
  const { session, elicitation, _meta: meta } = capabilities ?? {};
  return {
    notices: isPlainObject(session?.notices),
    forms: isPlainObject(elicitation?.form),
    terminals: meta?.["terminal_output"] === true,
  };
}
