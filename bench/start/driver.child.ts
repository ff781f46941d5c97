/** The least that gets one answer from codex, from its start to that answer. */
import { argv, stdout } from "node:process";
import type { Launch } from "../../src/runtimes/codex/process/launch.ts";
import { thinDriver } from "../codex/thin-driver.ts";

const [, , launch = "", thread = "", answer = ""] = argv;
await using driver = await thinDriver(JSON.parse(launch) as Launch);
const { status } = await driver.turn(await driver.startThread(JSON.parse(thread) as object), "hi");
stdout.write(`${status === "completed" ? answer : status}\n`);
