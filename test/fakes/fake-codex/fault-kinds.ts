import { ShapeError } from "./shape.ts";

/** Something that goes wrong, and when. By default only in the first process of a CODEX_HOME, so a restart heals it. */
export type Fault = {
  /**
   * `event`: the n-th frame (from 1, default 1) with this method, or the n-th answer to this method of the client.
   * `frame`: the n-th frame of the process, whatever it is.
   */
  readonly at: { readonly event: string; readonly n?: number | "every" } | { readonly frame: number };
  readonly do: string;
  /** Which process, counted from 1 in the order of starts. */
  readonly process?: number | "every";
};

/** What each fault does to the frame it is put on. `:x` is an argument. */
const kinds = {
  /** The frame goes out, then the process is killed. */
  sigkill: "",
  /** The frame goes out, then the process is stopped and neither reads nor writes. */
  sigstop: "",
  /** `exit:code`. The frame goes out, then the process ends. */
  exit: "number",
  /** `garbage:n`. So many unreadable lines first. */
  garbage: "number",
  /** Half of the frame, then the process ends. */
  partial: "",
  /** `huge:bytes`. A notification as long as that first. */
  huge: "number",
  /** The frame twice. */
  dup: "",
  /** After the next frame; `reorder:3` after the next three, `reorder:turn/completed` after that one. */
  reorder: "optional",
  /** The frame never goes out. */
  drop: "",
  /** `delay:ms`. The frame and all behind it wait. */
  delay: "number",
  /** `stderr:bytes`. So much noise on stderr first. */
  stderr: "number",
  /** The frame goes out, then the process reads nothing more. */
  noread: "",
  /** A request with an unknown method first. */
  unknownReq: "",
  /** A request of the server bears the id of the one before it; after any other frame comes an answer to nothing. */
  reuseId: "",
  /** A copy of the frame first, with the ids of a thread and a turn that do not exist. */
  wrongThread: "",
  /** On a request for approval: it comes before the `item/started` of what it is about. */
  earlyApproval: "",
  /** On a request for approval: there is no `item/started` of what it is about. */
  noApprovalItem: "",
  /** On a request: it is resolved at once, as if somebody else had declined. */
  resolveEarly: "",
  /** The turn that this frame belongs to ends without saying so. */
  noTurnCompleted: "",
  /** On the answer to a method: it is refused as overloaded, and nothing was done. */
  overload: "",
} as const;

export type FaultKind = keyof typeof kinds;
export type FaultAction = { readonly kind: FaultKind; readonly arg: string };

export const faultKinds = Object.keys(kinds) as readonly FaultKind[];

export function parseAction(action: string): FaultAction {
  const [kind = "", ...rest] = action.split(":");
  const arg = rest.join(":");
  if (!Object.hasOwn(kinds, kind))
    throw new ShapeError(`there is no fault "${action}"; known are ${faultKinds.join(", ")}`);
  const wants = kinds[kind as FaultKind];
  if (wants === "number" && !/^\d+$/.test(arg))
    throw new ShapeError(`the fault "${kind}" needs a number, as in "${kind}:3"`);
  if (wants === "" && arg !== "") throw new ShapeError(`the fault "${kind}" takes no argument`);
  return { kind: kind as FaultKind, arg };
}

/** One script per frame that a run without faults writes: each dies right after that frame. */
export const killAtEveryFrame = (frames: number): readonly Fault[] =>
  Array.from({ length: frames }, (_, at) => ({ at: { frame: at + 1 }, do: "sigkill" }));
