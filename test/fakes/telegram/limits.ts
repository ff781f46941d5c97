/** What the Bot API says no to, in its own words. */
export class ApiRefusal extends Error {
  readonly code: number;
  readonly more: object;
  constructor(code: number, message: string, more: object = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

export const badRequest = (why: string): ApiRefusal => new ApiRefusal(400, `Bad Request: ${why}`);

export type Entity = {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: { readonly id: number };
};
export type Keyboard = readonly (readonly { readonly text: string; readonly callback_data?: string }[])[];

export const most = {
  text: 4096,
  caption: 1024,
  entities: 100,
  callbackBytes: 64,
  photoBytes: 10 * 1024 * 1024,
  uploadBytes: 50 * 1024 * 1024,
  downloadBytes: 20 * 1024 * 1024,
  alertText: 200,
} as const;

export function checkText(text: unknown, limit: number, tooLong: string): string {
  if (typeof text !== "string") return "";
  if (text.length > limit) throw badRequest(tooLong);
  return text;
}

/** Those beyond the hundredth are ignored, as the platform does. */
export function checkEntities(text: string, given: unknown): readonly Entity[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw badRequest("can't parse entities: expected an Array of MessageEntity");
  for (const { type, offset, length, url } of given as readonly Entity[]) {
    if (!knownEntities.has(type)) throw badRequest("can't parse entities: unsupported type specified");
    if (!Number.isInteger(offset) || !Number.isInteger(length) || offset < 0 || length <= 0) {
      throw badRequest("can't parse entities: wrong offset or length");
    }
    if (offset + length > text.length) {
      throw badRequest(
        `entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${offset + length}`,
      );
    }
    if (cutsPair(text, offset) || cutsPair(text, offset + length)) {
      throw badRequest(`entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol`);
    }
    if (type === "text_link" && !URL.canParse(url ?? ""))
      throw badRequest("can't parse entities: invalid URL");
  }
  return (given as readonly Entity[]).slice(0, most.entities);
}

const knownEntities = new Set(
  ["bold", "italic", "underline", "strikethrough", "spoiler", "blockquote", "expandable_blockquote"].concat([
    "code",
    "pre",
    "text_link",
    "text_mention",
    "custom_emoji",
  ]),
);

const cutsPair = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));

export function checkKeyboard(markup: unknown): Keyboard | undefined {
  const rows = (markup as { readonly inline_keyboard?: Keyboard } | undefined)?.inline_keyboard;
  for (const { text, callback_data: data } of rows?.flat() ?? []) {
    if (typeof text !== "string" || text.trim() === "") {
      throw badRequest(
        "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
      );
    }
    const bytes = Buffer.byteLength(data ?? "");
    if (bytes < 1 || bytes > most.callbackBytes) throw badRequest("BUTTON_DATA_INVALID");
  }
  return rows === undefined || rows.length === 0 ? undefined : rows;
}
