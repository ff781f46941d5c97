import * as z from "zod";

// Each message says what is expected there; the reader adds what was found, and where.

const shareWords = "a share from 0.1 to 0.95";
const runtimeWords = "auto or codex_app_server";
const text = z.string("text").min(1, "text that is not empty");
const texts = z.array(text, "a list of text, such as [a, b]");
const yesOrNo = z.boolean("true or false");
const share = z.number(shareWords).min(0.1, shareWords).max(0.95, shareWords);
const seconds = z.number("a number of seconds").positive("a number of seconds above 0");
const variableName = text.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of a variable, such as OPENAI_API_KEY");
const providerName = text.regex(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
  "a name of letters, digits, - and _ (64 at most)",
);
const address = text.refine(isAddress, "an http or https address without a password in it");
const hostAndPort = text.regex(
  /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
  "host:port, such as 127.0.0.1:8080",
);
const strings = z.record(text, z.string("text"), "a map of names to text");
/** A section whose content is not settled yet. */
const open = z.record(text, z.unknown(), "a map");
const optional = z.exactOptional;
const every = z.int("a whole number").min(0, "0 or more");
const characters = z.int("a whole number of characters").min(200, "200 or more").max(20_000, "20000 at most");

const map = <Shape extends z.core.$ZodShape>(shape: Shape) => z.object(shape, "a map");
const named = <Value extends z.core.SomeType>(name: z.ZodString, value: Value) =>
  z.record(name, value, "a map of names to settings");

const usdPerMillion = z
  .number("a price in USD for a million tokens")
  .min(0, "a price in USD for a million tokens, 0 or more");
const limit = map({
  tokens: optional(z.int("a whole number of tokens").positive("a number of tokens above 0")),
  usd: optional(z.number("an amount of USD").positive("an amount of USD above 0")),
});

const provider = map({
  api: optional(address),
  protocol: optional(z.enum(["responses", "chat"], "responses or chat")),
  key_env: optional(variableName),
  headers: optional(strings),
  models: optional(texts),
  context_window: optional(z.int("a whole number of tokens").positive("a number of tokens above 0")),
  prices: optional(
    named(text, map({ input: usdPerMillion, cached: optional(usdPerMillion), output: usdPerMillion })),
  ),
});

/** Keys that only some other program knows stay, so that whoever translates a server can say what is lost. */
const mcpServer = z.looseObject(
  {
    command: optional(text),
    args: optional(z.array(z.string("text"), "a list of text, such as [a, b]")),
    env: optional(strings),
    cwd: optional(text),
    url: optional(text),
    headers: optional(strings),
    transport: optional(text),
    enabled: optional(yesOrNo),
    timeout: optional(seconds),
    connect_timeout: optional(seconds),
    tools: optional(map({ include: optional(texts), exclude: optional(texts) })),
    trust: optional(z.enum(["full", "hints", "untrusted"], "full, hints or untrusted")),
    elicitation: optional(yesOrNo),
  },
  "a map",
);

/** Where a small task is done. */
const route = { provider: optional(text), model: optional(text) };

/** The shape of config.yaml, after keys without a value were left out. Unknown keys pass: they get a warning elsewhere. */
export const fileSchema = map({
  model: optional(
    map({
      provider: optional(text),
      default: optional(text),
      openai_runtime: optional(
        z
          .string(runtimeWords)
          .toLowerCase()
          .pipe(z.enum(["auto", "codex_app_server"], runtimeWords)),
      ),
      codex_bin: optional(text),
    }),
  ),
  providers: optional(named(providerName, provider)),
  fallback_providers: optional(z.array(map({ provider: text, model: text }), "a list of {provider, model}")),
  auxiliary: optional(
    map({
      title_generation: optional(map({ ...route, enabled: optional(yesOrNo) })),
      compression: optional(map(route)),
      vision: optional(map(route)),
      background_review: optional(map(route)),
      goal_judge: optional(map(route)),
      approval: optional(map(route)),
    }),
  ),
  mcp_servers: optional(named(text, mcpServer)),
  terminal: optional(
    map({
      security_mode: optional(
        z.enum(["auto", "approval-required", "unrestricted"], "auto, approval-required or unrestricted"),
      ),
      network: optional(yesOrNo),
    }),
  ),
  codex: optional(
    map({ home: optional(text), env: optional(z.array(variableName, "a list of names of variables")) }),
  ),
  turn: optional(map({ budget: optional(seconds) })),
  compression: optional(map({ threshold: optional(share) })),
  budgets: optional(map({ turn: optional(limit), session: optional(limit), day: optional(limit) })),
  tools: optional(map({ disabled: optional(texts) })),
  web: optional(
    map({
      search: optional(
        map({
          backend: optional(z.enum(["searxng", "brave", "firecrawl"], "searxng, brave or firecrawl")),
          url: optional(address),
        }),
      ),
      ask_unknown: optional(yesOrNo),
      allow_private: optional(z.array(hostAndPort, "a list of host:port, such as [127.0.0.1:8080]")),
    }),
  ),
  browser: optional(map({ executable: optional(text) })),
  image_gen: optional(map(route)),
  tts: optional(map({ ...route, voice: optional(text) })),
  delegation: optional(
    map({
      runtime: optional(z.enum(["loop", "codex"], "loop or codex")),
      model: optional(text),
      max_concurrent: optional(z.int("a whole number").min(1, "1 or more").max(10, "10 at most")),
      max_seconds: optional(seconds),
      budget: optional(limit),
    }),
  ),
  approvals: optional(
    map({
      mode: optional(z.enum(["manual", "smart", "off"], "manual, smart or off")),
      timeout_s: optional(seconds),
      deny: optional(texts),
    }),
  ),
  display: optional(
    map({
      busy_input_mode: optional(z.enum(["queue", "steer", "interrupt"], "queue, steer or interrupt")),
      bell: optional(yesOrNo),
      reasoning: optional(z.enum(["fold", "show", "hide"], "fold, show or hide")),
    }),
  ),
  memory: optional(
    map({
      enabled: optional(yesOrNo),
      user_profile: optional(yesOrNo),
      char_limit: optional(characters),
      user_char_limit: optional(characters),
      nudge_interval: optional(every),
      provider: optional(map({ url: address, key_env: optional(variableName) })),
    }),
  ),
  skills: optional(
    map({
      enabled: optional(yesOrNo),
      creation_nudge_interval: optional(every),
      external_dirs: optional(texts),
    }),
  ),
  learning: optional(
    map({
      mode: optional(z.enum(["off", "propose", "auto"], "off, propose or auto")),
      review_tokens: optional(z.int("a whole number of tokens").positive("a number of tokens above 0")),
      day_tokens: optional(z.int("a whole number of tokens").positive("a number of tokens above 0")),
      review_usd: optional(z.number("an amount of USD").positive("an amount of USD above 0")),
    }),
  ),
  curator: optional(
    map({
      enabled: optional(yesOrNo),
      interval_hours: optional(z.number("a number of hours").positive("a number of hours above 0")),
      stale_days: optional(z.number("a number of days").positive("a number of days above 0")),
      archive_days: optional(z.number("a number of days").positive("a number of days above 0")),
    }),
  ),
  cron: optional(open),
  kanban: optional(open),
  goals: optional(open),
  gateway: optional(open),
  database: optional(map({ url: optional(text) })),
});

export type FileSettings = z.output<typeof fileSchema>;

function isAddress(value: string): boolean {
  const url = URL.parse(value);
  if (url === null) return false;
  return ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
}
