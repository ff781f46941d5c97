import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tempFolder } from "../../test/temp-folder.ts";
import { loadConfig } from "../../src/config/config.ts";
import type { Host } from "../../src/core/host.ts";
import { newId, type SessionId } from "../../src/core/ids.ts";
import { openHost } from "../../src/host/index.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { asSkill } from "../poison/poison.ts";
import { firstTexts, sentence } from "./facts.ts";
import { asOwner, send } from "../../test/owners-host.ts";

export type Home = AsyncDisposable & {
  readonly home: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  open(settings?: { readonly longLived?: boolean }): Promise<Host>;
  config(): ReturnType<typeof loadConfig>;
};

/** A home whose turns are all followed by a review, if `mode` is not off. */
export async function makeHome(modelUrl: string, mode: "auto" | "off" = "auto"): Promise<Home> {
  const temp = await tempFolder();
  const { path: base } = temp;
  const [home, cwd] = [join(base, "home"), join(base, "work")];
  for (const folder of [cwd, home]) await mkdir(folder, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), settings(modelUrl, mode), { mode: 0o600 });
  const env = { PATH: process.env["PATH"] ?? "", HOME: base, TALARIA_HOME: home };
  const place = { env, homeDir: base, cwd };
  return {
    home,
    cwd,
    env,
    open: ({ longLived = false } = {}) => openHost({ ...place, version: "bench", longLived }),
    config: () => loadConfig({ ...place, flags: {} }),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

/** A review that was killed keeps what it may use out of the day's work: a hundred of them would use that up. */
const settings = (url: string, mode: string): string => `model: { provider: mine, default: gpt-5.5 }
providers: { mine: { api: "${url}", protocol: responses } }
auxiliary: { title_generation: { enabled: false } }
memory: { nudge_interval: 1, char_limit: 20000, user_char_limit: 20000 }
skills: { creation_nudge_interval: 1 }
learning: { mode: ${mode}, day_tokens: 1000000000000 }
work: { budget: { day: { turns: 100000, tokens: 1000000000000 } } }
`;

/** One turn of the person, to its end. */
export async function speak(host: Host, cwd: string, text: string, session?: SessionId): Promise<SessionId> {
  const id = session ?? newId("ses", systemClock.now());
  const sent = await send(host, {
    key: { surface: "cli", account: "", chat: id, messageId: crypto.randomUUID() },
    session: session ?? { id, cwd, surface: "cli", audience: "owner" as const },
    input: [{ type: "text", text }],
    whenBusy: "queue",
    attended: "none",
  });
  const ended = await sent.ended;
  if (ended?.outcome !== "done") throw new Error(ended?.fault?.message ?? "it was not taken");
  return id;
}

/** The files as they begin: the skill is the agent's own, so that reviews may change it. */
export async function firstFiles({ home, cwd, open }: Home): Promise<void> {
  await using host = await open();
  await speak(host, cwd, `${sentence(0)} Facts: how facts are kept.`);
  const isMade = (await asOwner(host).call("skills.list", { cwd })).some(({ name }) => name === "facts");
  if (!isMade) throw new Error("The agent has not made the skill.");
  for (const [file, text] of Object.entries(firstTexts)) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), text);
  }
}

/** How the agent makes the skill. */
export const firstCall = {
  tool: "skill_manage",
  args: {
    action: "create",
    name: "facts",
    content: asSkill("facts", "How facts are kept.", "Fact number 0 is kept.\nEND"),
  },
} as const;
