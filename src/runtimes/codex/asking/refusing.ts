import type { Question } from "../../../core/asking.ts";
import type { RequestFrame } from "../connection/frame.ts";
import type { Asker } from "./questions.ts";
import { answerRequest } from "./server-requests.ts";

/** Why nothing is allowed to what nobody asked for. */
export const unaskedRefusal =
  "not allowed: it belongs to nothing that was asked for here, but to something codex did by itself or left running";

/**
 * Refuses a request of a turn that is none of ours. `note` is given each question whether something may happen, to be
 * written down as refused: a person cannot be asked about what they know nothing of.
 */
export function refuseRequest(
  request: RequestFrame,
  asker: Omit<Asker, "request">,
  note: (question: Question) => void,
): void {
  const { signal } = new AbortController();
  void answerRequest(request, {
    ...asker,
    signal,
    stop: signal,
    offered: new Set(),
    onProgress() {},
    changesOf: async () => undefined,
    headOf: () => undefined,
    ports: {
      async ask(question) {
        note({ ...question, refused: unaskedRefusal });
        return { choice: "deny", why: "policy", reason: unaskedRefusal };
      },
      inquire: async () => undefined,
      tools: { specs: [], enabled: [], call: async () => ({ ok: false, output: unaskedRefusal }) },
    },
  });
}
