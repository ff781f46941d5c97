import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { says } from "../endpoint.ts";
import { type CodexTalaria, talariaOnCodex } from "./codex-talaria.ts";

/** `project`: what the project's own file says, which comes on top. */
type Added = { readonly prompt: string; readonly project: string; readonly tools: string };

/** All that we add to what codex gives the model by itself. */
function added({ model }: CodexTalaria, at: number): Added {
  const { input, tools } = (model.requests[at]?.body ?? {}) as {
    readonly input?: readonly { readonly role?: string; readonly content?: unknown }[];
    readonly tools?: readonly { readonly name?: string }[];
  };
  const texts = (input ?? [])
    .filter(({ role }) => role === "developer")
    .flatMap(({ content }) => content as readonly { readonly text?: string }[])
    .map(({ text = "" }) => text);
  const [prompt = "", project = ""] = (texts.find((text) => text.includes("You are Talaria")) ?? "").split(
    "\n\nThe project says how to work in it:\n\n",
  );
  const ours = (tools ?? []).find(({ name }) => name === "talaria");
  return { prompt, project, tools: JSON.stringify(ours) };
}

const bytes = (text: string): number => Buffer.byteLength(text);

const namesOf = (tools: string): readonly string[] =>
  (JSON.parse(tools) as { readonly tools: readonly { readonly name: string }[] }).tools.map(
    ({ name }) => name,
  );

const everything =
  'web: { search: { backend: searxng, url: "http://127.0.0.1:9" } }\nimage_gen: { provider: mine }\n';

describe("what Talaria adds to a codex thread", { concurrency: 2 }, () => {
  test("takes 8 KiB at most with a hundred skills, and the index 3 of them, the rest being found by skills_list", async () => {
    await using it = await talariaOnCodex([says("One.")]);
    await appendFile(join(it.home, "config.yaml"), everything);
    await skills(it, 100);
    await it.turn(["first"]);
    const { prompt, tools } = added(it, 0);
    const index = prompt.slice(prompt.indexOf("## Skills"));
    assert.ok(bytes(index) <= 3072 && bytes(index) > 2500, `${bytes(index)} bytes of index`);
    assert.match(index, /\n\d\d more: skills_list$/);
    assert.ok(bytes(prompt) + bytes(tools) <= 8192, `${bytes(prompt)} and ${bytes(tools)} bytes`);
    for (const name of ["skill_view", "skills_list", "memory"])
      assert.ok(namesOf(tools).includes(name), name);
  });

  test("takes 8 KiB at most with full memories too, and the bill tells it line by line", async () => {
    await using it = await talariaOnCodex([says("One."), says("Two."), says("Three.")]);
    await appendFile(join(it.home, "config.yaml"), everything);
    await skills(it, 100);
    await memories(it);
    await save(join(it.cwd, "AGENTS.md"), "Be kind. ".repeat(100));
    const first = await it.turn(["first"]);
    const { prompt, project, tools } = added(it, 0);
    assert.match(project, /^AGENTS\.md:\n\n(Be kind\. ?){100}$/);
    assert.ok(bytes(prompt) + bytes(tools) <= 8192, `${bytes(prompt)} and ${bytes(tools)} bytes`);
    for (const words of ["USER.md", "MEMORY.md", "Memory of the project", "## Skills"])
      assert.ok(prompt.includes(words), words);
    assert.ok(namesOf(tools).includes("skill_view"));
    const bill = await it.run(["context", "--session", first.lines[0]?.session ?? ""]);
    for (const line of [/^user +/m, /^memory +/m, /^project memory +/m, /^skills +/m, /^tools +/m])
      assert.match(bill.stdout, line, bill.stderr);
    assert.match(bill.stdout, new RegExp(`^tools .* ${bytes(tools)} bytes,`, "m"), "to the byte");
    const parts = await it.run(["context", "--session", first.lines[0]?.session ?? "", "--json"]);
    const told = parts.lines.filter(({ name }) =>
      /^(persona|instructions|user|.*memory|skills)$/.test(String(name)),
    );
    const between = 2 * (told.length - 1);
    const sum = told.reduce((total, { characters }) => total + Number(characters), between);
    assert.equal(sum, prompt.length, "to the character");

    await save(join(it.home, "memories/USER.md"), "Changed meanwhile.");
    const again = await it.turn(["--continue", "second"]);
    assert.equal(again.thread, first.thread);
    assert.deepEqual(added(it, 1), { prompt, project, tools }, "the same to the byte in another process");
    await it.turn(["--no-memory", "third"]);
    assert.doesNotMatch(added(it, 2).prompt, /## /);
  });
});

async function skills({ home }: CodexTalaria, count: number): Promise<void> {
  const about = "Does one of many things that this person does again and again, in the way they want it done";
  for (let at = 0; at < count; at++) {
    const name = `skill-number-${at}`;
    const text = `---\nname: ${name}\ndescription: ${about}\n---\n\nDo it.\n`;
    await save(join(home, `skills/${name}/SKILL.md`), text);
  }
}

const full = (limit: number): string => {
  const entry = "The build needs a clean tree, and the docs are made with it.";
  const count = Math.floor(limit / (entry.length + 6));
  return Array.from({ length: count }, (_, at) => `${entry} ${at}`).join("\n§\n");
};

/** As many entries as each may have. */
async function memories({ home, cwd }: CodexTalaria): Promise<void> {
  const project = createHash("sha256").update(cwd).digest("hex").slice(0, 12);
  await save(join(home, "memories/MEMORY.md"), full(2200));
  await save(join(home, "memories/USER.md"), full(1375));
  await save(join(home, `memories/projects/${project}/MEMORY.md`), full(2200));
}

async function save(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
