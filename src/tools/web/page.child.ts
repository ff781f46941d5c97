import { parentPort, workerData } from "node:worker_threads";
import { pageMarkdown } from "./page-markdown.ts";
import type { Task } from "./page-thread.ts";

const { html, url } = workerData as Task;
parentPort?.postMessage(await pageMarkdown(html, url), []);
