import type { Site } from "./site.ts";

/** A call of a tool, and what has to come of it wherever it is called. */
export type ToolCall = {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly ok: boolean;
  readonly shows: RegExp;
};

/** Words that only arrive whole if nothing on the way touches arguments. */
export const hardWords = `quotes "a" 'b' \\ back, tab\t, line\nbreak, Ümlaut, 鷺, 🪶, $HOME, %s, {"json": [1]}`;

export const goal = "Say the word heron.";
export const pictureQuestion = "Which bird is in the picture?";

const skillText = (name: string, description: string, body: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

/** One that is there before. */
const skillName = "heron-watch";
export const skill = {
  file: `skills/${skillName}/SKILL.md`,
  text: skillText(skillName, "How to watch herons", "Stand still."),
};

/** Every tool that is offered to others, in an order in which each finds what it needs. */
export const everyCall = ({ url }: Site): readonly ToolCall[] => [
  {
    tool: "todo",
    args: {
      todos: [
        { id: "a", content: hardWords, status: "in_progress" },
        { id: "b", content: "second", status: "pending" },
      ],
      merge: false,
    },
    ok: true,
    shows:
      /^0 of 2 done\n\[>\] a: quotes "a" 'b' \\ back, tab\t, line\nbreak, Ümlaut, 鷺, 🪶, \$HOME, %s, \{"json": \[1\]\}\n\[ \] b: second$/,
  },
  {
    tool: "session_search",
    args: { query: "dusk", limit: 2 },
    ok: true,
    shows: /what flies at «dusk»[^]*Herons fly at dusk/,
  },
  {
    tool: "memory",
    args: { action: "add", target: "memory", content: `Herons nest in April. ${hardWords.slice(0, 12)}` },
    ok: true,
    shows: /waits/,
  },
  { tool: "skills_list", args: { query: "watch" }, ok: true, shows: /^- heron-watch: How to watch herons$/ },
  {
    tool: "skill_view",
    args: { name: skillName },
    ok: true,
    shows: /^\[SKILL\.md of the skill heron-watch, from [^]*Stand still\.\n$/,
  },
  {
    tool: "skill_manage",
    args: {
      action: "create",
      name: "heron-food",
      content: skillText("heron-food", "What herons eat", "Fish."),
    },
    ok: true,
    shows: /^Proposed: skills\/heron-food\/SKILL\.md \(rev_\w+\) waits for the person/,
  },
  {
    tool: "clarify",
    args: { question: "Which heron?", choices: ["grey", "purple"] },
    ok: false,
    shows: /^There is no answer: nobody was there/,
  },
  { tool: "delegate_task", args: { goal, runtime: "loop" }, ok: true, shows: /Heron, said the child\./ },
  { tool: "cronjob", args: { action: "list" }, ok: true, shows: /^There are no schedules\./ },
  { tool: "web_search", args: { query: "herons", limit: 1 }, ok: true, shows: /About herons[^]*\/heron/ },
  { tool: "web_extract", args: { urls: [`${url}/heron`] }, ok: true, shows: /stands still in the reeds/ },
  { tool: "browser_navigate", args: { url: `${url}/form` }, ok: true, shows: /A form[^]*Say it/ },
  {
    tool: "browser_type",
    args: { ref: "@e4", text: "grey heron", submit: false },
    ok: true,
    shows: /textbox "Words" @e4[^\n]*: grey heron/,
  },
  { tool: "browser_click", args: { ref: "@e5" }, ok: true, shows: /^Clicked\.[^]*A form/ },
  { tool: "browser_snapshot", args: { full: true }, ok: true, shows: /You said grey heron/ },
  { tool: "browser_press", args: { key: "Tab" }, ok: true, shows: /A form/ },
  { tool: "browser_scroll", args: { direction: "down" }, ok: true, shows: /^Scrolled down/ },
  { tool: "browser_get_images", args: {}, ok: true, shows: /heron\.png[^]*a heron|a heron[^]*heron\.png/ },
  { tool: "browser_console", args: { clear: true }, ok: true, shows: /the form is ready/ },
  { tool: "browser_vision", args: { question: pictureQuestion }, ok: true, shows: /A grey heron\./ },
  { tool: "browser_navigate", args: { url: `${url}/heron` }, ok: true, shows: /Title: Herons/ },
  { tool: "browser_back", args: {}, ok: true, shows: /Title: A form/ },
  {
    tool: "vision_analyze",
    args: { image: `${url}/heron.png`, question: pictureQuestion },
    ok: true,
    shows: /A grey heron\./,
  },
  {
    tool: "image_generate",
    args: { prompt: "a heron at dusk", aspect: "landscape" },
    ok: true,
    shows: /media\/[^\s]+\.png/,
  },
  { tool: "text_to_speech", args: { text: "A heron." }, ok: true, shows: /media\/[^\s]+\.wav/ },
];

/** The result without what is another one each time: names by chance, times, sizes of what was spent. */
export const settled = (output: string): string =>
  output
    .replaceAll(/ses_[0-9a-z]+/g, "ses_X")
    .replaceAll(/rev_[0-9a-z]+|trn_[0-9a-z]+/g, "id_X")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME")
    .replaceAll(/[^\s"]*\/media\/[^\s"]+/g, "MEDIA")
    .replaceAll(/\S*\/skills\/heron/g, "SKILLS/heron")
    .replaceAll(/\b[0-9a-f]{12,}\b/g, "NONCE")
    .replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
    .replaceAll(/#\d+/g, "#N")
    .replaceAll(/\b\d+(\.\d+)?( |k )(tokens|s|ms)\b/g, "N $3")
    .replaceAll(/ · (cli|mcp|delegate|acp) · \S+/g, " · PLACE");
