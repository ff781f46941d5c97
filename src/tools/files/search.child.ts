import { parentPort, workerData } from "node:worker_threads";
import { type FileSearch, searchFiles } from "./file-search.ts";
import type { Message } from "./search-thread.ts";

const say = (message: Message): void => parentPort?.postMessage(message, []);
const end = searchFiles(workerData as FileSearch, (hits) => say({ kind: "found", hits }));
say({ kind: "end", end });
