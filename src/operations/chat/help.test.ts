import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { completions } from "./completions.ts";
import { call, fakeHost, guest, inChat, say } from "./fake-host.suite.ts";
import type { Role } from "../../core/principal.ts";
import { isOffered, slashCommands } from "../slash.ts";
import { slashGroups } from "../table.ts";
import { commandsPage } from "../../../scripts/commands-page.ts";

const groups = Object.keys(slashGroups);

const help = async (arg = "", also: Partial<typeof call> = {}): Promise<string> =>
  (await say(`/help ${arg}`, fakeHost(), { ...call, ...also })).text;

describe("/help", () => {
  test("lists every command in its group, on lines that fit a narrow terminal", async () => {
    const places = ["cli", "telegram"].map(async (surface) => (await help("", { surface })).split("\n"));
    const [here = [], inChats = []] = await Promise.all(places);
    for (const { name, help: words, group, where } of slashCommands) {
      const lines = where === "everywhere" || where.includes("cli") ? here : inChats;
      const at = lines.findIndex((line) => line.startsWith(`  /${name} `) && line.endsWith(words));
      assert.ok(at >= 0, name);
      const heading = lines.slice(0, at).findLast((line) => groups.some((each) => each === line));
      assert.equal(heading, group, name);
    }
    for (const line of [...here, ...inChats]) assert.ok(line.length <= 80, line);
  });

  test("leaves out what cannot be used here or by this person", async () => {
    assert.doesNotMatch(await help("", { surface: "telegram" }), /\/quit|\/yolo/);
    assert.doesNotMatch(await help("", { by: guest }), /\/doctor|\/resume|Safety/);
    assert.match(await help("", { by: guest }), /\/new/);
    const listed = async (role: Role): Promise<readonly string[]> =>
      [...(await help("", inChat(role) as typeof call)).matchAll(/^ {2}\/([\w-]+)/gm)].map(
        ([, name]) => name ?? "",
      );
    assert.deepEqual(await listed("guest"), ["new", "stop", "resend", "whoami", "help"]);
    assert.deepEqual(await listed("member"), [
      "new",
      "stop",
      "resend",
      "why",
      "deny",
      "status",
      "whoami",
      "help",
    ]);
    const owners = ["why", "goal", "kanban", "cron", "model", "new", "sessions", "codex-runtime", "approve"];
    const all = await listed("owner");
    assert.deepEqual(
      owners.filter((name) => !all.includes(name)),
      [],
    );
    assert.match(await help("model", inChat("member") as typeof call), /no command \/model/);
  });

  test("explains one command by its name, alias or beginning, with or without the slash", async () => {
    const text = await help("new");
    assert.deepEqual(text.split("\n"), [
      "/new [title]",
      "Start a new session; the present one is kept.",
      "also               /reset, /clear",
      "while a turn runs  refused; /stop first, or wait",
      "where              everywhere",
      "who                anyone",
      "in chat apps       owner, member, guest",
    ]);
    for (const name of ["/new", "reset", "ne", "NEW"]) assert.equal(await help(name), text, name);
    assert.match(await help("yolo"), /where +cli, tui\nwho +the owner only\n/);
    assert.match(await help("runtime"), /first word +loop, codex/);
  });

  test("says what to look at when there is no such command", async () => {
    assert.match(await help("nothing"), /no command \/nothing/);
    assert.match(await help("s"), /could be \/sessions/);
    assert.match(await help("quit", { surface: "telegram" }), /no command \/quit/);
  });
});

const values = (line: string, surface = "tui"): readonly string[] =>
  completions(line, surface).map(({ value }) => value);

describe("completion", () => {
  test("offers the names that begin like the line, and behind them aliases that do", () => {
    assert.deepEqual(values("/re"), [
      "/resume",
      "/retry",
      "/reasoning",
      "/refine",
      "/record",
      "/replay",
      "/reset",
      "/rename",
    ]);
    assert.deepEqual(values("/EX"), ["/exit"]);
    const offered = slashCommands.filter((command) => isOffered(command, "tui"));
    assert.equal(values("/").length, offered.length);
    assert.deepEqual(completions("/mod", "cli"), [
      {
        value: "/model",
        label: "/model [name]",
        detail: "Show the model of this session, or choose another one",
      },
    ]);
  });

  test("offers the first word behind a name, and nothing behind that", () => {
    assert.deepEqual(values("/runtime "), ["loop", "codex"]);
    assert.deepEqual(values("/runtime C"), ["codex"]);
    assert.deepEqual(values("/effort x"), ["xhigh"]);
    assert.deepEqual(values("/runtime codex "), []);
    assert.deepEqual(values("/status "), []);
  });

  test("offers nothing for a message, an unknown command, or one of another surface", () => {
    for (const line of ["", "hello", "//x", "/zzz", "/zzz a", "/usr/bin", " /new"])
      assert.deepEqual(values(line), [], line);
    assert.deepEqual(values("/yo", "telegram"), []);
  });
});

test("the page of slashCommands has every command with its arguments, in its group", () => {
  const page = commandsPage();
  for (const { name, args, help: words } of slashCommands) {
    const usage = `\`/${name}${args === "" ? "" : ` ${args}`}\``.replaceAll("|", "\\|");
    const row = page.split("\n").find((line) => line.startsWith(`| ${usage} |`));
    assert.ok(row?.includes(`| ${words}.`), name);
  }
  for (const group of groups) assert.ok(page.includes(`## ${group}\n`));
  for (const line of page.split("\n").filter((each) => each.startsWith("| "))) {
    assert.equal(line.replaceAll("\\|", "").split("|").length, 8, line);
  }
});
