import type { OpenDoor } from "../../core/serving/door.ts";

export { attachOrOpen, attachTools, homeOf, statusOf } from "./attach.ts";

/** The door for programs of this person on this machine. Loaded when it is used: a client needs none of it. */
export const openSocket: OpenDoor = async (behind) => (await import("./server.ts")).openSocket(behind);
