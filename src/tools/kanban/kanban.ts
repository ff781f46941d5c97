import { z } from "zod";
import type { CardsWanted, SaidBlock, WantedCard } from "../../core/cards/card-tools.ts";
import { blockKinds, cardStates } from "../../core/cards/cards.ts";
import type { ApprovalRequest, Tool, ToolContext, ToolResult } from "../tool.ts";

/** Where calls of these tools are answered. It knows who calls: the worker of a card, or a session that hands out work. */
export type KanbanDesk = {
  show(card: string | undefined, context: ToolContext): Promise<ToolResult>;
  list(filter: CardsWanted, context: ToolContext): Promise<ToolResult>;
  complete(said: { readonly summary: string }, context: ToolContext): Promise<ToolResult>;
  block(said: SaidBlock, context: ToolContext): Promise<ToolResult>;
  heartbeat(note: string | undefined, context: ToolContext): Promise<ToolResult>;
  comment(said: { readonly card?: string; readonly text: string }, context: ToolContext): Promise<ToolResult>;
  create(card: WantedCard, context: ToolContext): Promise<ToolResult>;
  link(said: { readonly card: string; readonly parent: string }, context: ToolContext): Promise<ToolResult>;
  unblock(card: string, context: ToolContext): Promise<ToolResult>;
};

const id = z.string().trim().min(1).max(40).describe("The id of a card, or how it begins");
const words = z.string().trim().min(1).max(20_000);

const filter = z.object({
  board: z.string().max(40).optional(),
  states: z.array(z.enum(cardStates)).optional(),
  limit: z.int().min(1).max(200).optional().describe("50 unless said"),
});
const blocking = z.object({
  kind: z
    .enum(blockKinds)
    .describe(
      "needs_input: a person has to decide · capability: this cannot be done here · transient: it works later · dependency: another card first",
    ),
  reason: words.describe("What stops it and what is needed, so that it can be understood alone"),
  minutes: z.int().min(1).max(10_080).optional().describe("Of a transient one: when to try again"),
  card: id.optional().describe("Of a dependency: the card that it waits for"),
});
const creation = z.object({
  title: z.string().trim().min(1).max(300),
  body: z.string().max(20_000).optional().describe("All that has to be known to do it"),
  parents: z.array(id).max(20).optional().describe("Cards that have to be done first"),
  workspace: z
    .string()
    .max(4000)
    .optional()
    .describe("scratch, folder:PATH or worktree:REPO; that of your own card unless said"),
  priority: z.int().min(-9).max(9).optional(),
});

const common = { toolset: "kanban", effect: "none", timeoutMs: 30_000, maxOutputChars: 40_000 } as const;
const writing = { ...common, lasting: true, inOrder: true } as const;

/** The nine tools of a board. */
export const kanbanTools = (desk: KanbanDesk): readonly Tool[] => [
  ...readingTools(desk),
  ...reportingTools(desk),
  ...handingOutTools(desk),
];

const tool = <Schema extends z.ZodObject>(made: Tool<Schema>): Tool => made as unknown as Tool;

const readingTools = (desk: KanbanDesk): readonly Tool[] => [
  tool({
    ...common,
    name: "kanban_show",
    description: "Show a card: what is to be done, links, attempts, comments. Your own without an id.",
    schema: z.object({ card: id.optional() }),
    run: ({ card }, context) => desk.show(card, context),
  }),
  tool({
    ...common,
    name: "kanban_list",
    description: "List the cards of the board.",
    schema: filter,
    run: (wanted, context) => desk.list(wanted, context),
  }),
];

const reportingTools = (desk: KanbanDesk): readonly Tool[] => [
  tool({
    ...writing,
    name: "kanban_complete",
    description:
      "Say that your card is done. It is written when your turn has ended, so call it last and end the turn.",
    schema: z.object({ summary: words.describe("What was done and what shows it; it has to stand alone") }),
    run: (said, context) => desk.complete(said, context),
  }),
  tool({
    ...writing,
    name: "kanban_block",
    description:
      "Say that your card cannot go on, and why. It is written when your turn has ended, so call it last and end the turn.",
    schema: blocking,
    run: (said, context) => desk.block(said, context),
  }),
  tool({
    ...writing,
    name: "kanban_heartbeat",
    description: "Say that you are still at it, with a note on how far if you like.",
    schema: z.object({ note: z.string().max(2000).optional() }),
    run: ({ note }, context) => desk.heartbeat(note, context),
  }),
  tool({
    ...writing,
    name: "kanban_comment",
    description: "Write a comment at a card, for people and for later attempts.",
    schema: z.object({ text: words, card: id.optional().describe("Your own unless said") }),
    run: ({ text, card }, context) =>
      desk.comment({ text, ...(card === undefined ? {} : { card }) }, context),
  }),
];

const handingOutTools = (desk: KanbanDesk): readonly Tool[] => [
  tool({
    ...writing,
    name: "kanban_create",
    description:
      "Make a card for work that is not this card's own. Without somebody to ask it goes to triage, where a person looks at it first.",
    schema: creation,
    effect: "local",
    asks: async ({ title }, context) => asked(`Add the card “${title}”, to be worked on by itself`, context),
    run: (card, context) => desk.create(card, context),
  }),
  tool({
    ...writing,
    name: "kanban_link",
    description: "Let a card wait for another one of its board.",
    schema: z.object({ card: id, parent: id.describe("The card that has to be done first") }),
    run: (said, context) => desk.link(said, context),
  }),
  tool({
    ...writing,
    name: "kanban_unblock",
    description: "Let a blocked card go on. A person is asked: only they release it.",
    schema: z.object({ card: id }),
    effect: "local",
    asks: async ({ card }, context) =>
      context.attended === true
        ? asked(`Let the blocked card ${card} go on`, context)
        : { refused: "Only a person lets a blocked card go on, and nobody is there to ask." },
    run: ({ card }, context) => desk.unblock(card, context),
  }),
];

/** Where nobody can be asked, what is made waits for a person anyway. */
const asked = (summary: string, { attended, cwd }: ToolContext): ApprovalRequest => ({
  effect: attended === true ? "local" : "none",
  action: { kind: "tool" },
  summary,
  cwd,
  lasting: true,
});
