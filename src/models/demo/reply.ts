/** What the demo model answers, before a protocol puts it into frames. */
export type Reply = {
  readonly content: readonly Content[];
  readonly delivery?: Delivery;
  /** Instead of the tokens that its size would make. */
  readonly usage?: ReportedTokens;
};

/** The tokens that an answer says it took. */
export type ReportedTokens = { readonly input: number; readonly output: number };

export type Content =
  | { readonly kind: "text"; readonly text: string; readonly chunks?: number; readonly phase?: string }
  | { readonly kind: "reasoning"; readonly summary: readonly string[]; readonly raw: string }
  | Call
  | { readonly kind: "custom"; readonly tool: string; readonly input: string }
  | { readonly kind: "search"; readonly query: string }
  /** The stream stays open and silent from here on. */
  | { readonly kind: "hang" }
  /** The stream ends here with the provider's error. */
  | { readonly kind: "error"; readonly code: string; readonly message: string }
  /** Frames that nobody can read. */
  | { readonly kind: "malformed" };

export type Call = {
  readonly kind: "call";
  readonly tool: string;
  readonly namespace?: string;
  readonly args: string;
};

/** Everything about how the answer travels that is not the ordinary way. */
export type Delivery = {
  readonly http?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  /** One JSON answer instead of a stream. */
  readonly whole?: boolean;
  /** The type of an extra frame before all others, in place of the usual first one. */
  readonly first?: string;
  /** The stream ends without a terminal frame. */
  readonly noCompleted?: boolean;
  readonly slowMs?: number;
  /** The connection is destroyed after so many frames or bytes of the body. */
  readonly cut?: { readonly frames?: number; readonly bytes?: number };
};

/** What frames need to know besides the reply: ids that no other answer of the conversation has, and sizes. */
export type ReplyContext = { readonly id: string; readonly model: string; readonly inputChars: number };

/** A frame to send, with the tokens that it reports, or the point where the stream falls silent. */
export type StreamStep = { readonly frame: string; readonly tokens?: ReportedTokens } | "hang";

export const textReply = (text: string): Reply => ({ content: [{ kind: "text", text }] });

export const errorReply = (status: number, code: string, message: string): Reply => ({
  content: [],
  delivery: {
    http: {
      status,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ error: { message, type: "invalid_request_error", code } }),
    },
  },
});

const defaultChunks = 6;

/** A text in pieces of about equal size, cut at words where there are enough of them. */
export function pieces(text: string, chunks = defaultChunks): readonly string[] {
  const words = text.match(/\s*\S+\s*/g) ?? [];
  const units: Sliceable = words.length >= chunks ? words : text;
  const size = Math.max(1, Math.ceil(units.length / chunks));
  return Array.from({ length: Math.ceil(units.length / size) }, (_, at) => {
    const piece = units.slice(at * size, (at + 1) * size);
    return typeof piece === "string" ? piece : piece.join("");
  });
}

type Sliceable = { readonly length: number; slice(from: number, to: number): string | readonly string[] };

/** About four characters to a token, as a rule of thumb; what counts is that it is always the same. */
function tokens(chars: number): number {
  return Math.ceil(chars / 4);
}

export const reportedTokens = ({ usage, content }: Reply, { inputChars }: ReplyContext): ReportedTokens =>
  usage ?? { input: tokens(inputChars), output: tokens(contentChars(content)) };

const contentChars = (content: readonly Content[]): number =>
  content.reduce((sum, part) => sum + partChars(part), 0);

function partChars(part: Content): number {
  if (part.kind === "text") return part.text.length;
  if (part.kind === "reasoning") return part.summary.join("").length + part.raw.length;
  if (part.kind === "call") return part.tool.length + part.args.length;
  if (part.kind === "custom") return part.tool.length + part.input.length;
  return 0;
}
