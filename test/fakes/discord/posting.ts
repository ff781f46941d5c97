import type { Call } from "./faults.ts";
import type { ApiMessage, World } from "./world.ts";

export type Answer = { readonly status: number; readonly body?: unknown };

export const problem = (status: number, code: number, message: string): Answer => ({
  status,
  body: { message, code },
});

type Component = {
  readonly type: number;
  readonly components?: readonly Component[];
  readonly custom_id?: string;
  readonly label?: string;
};
export type Posted = {
  readonly content?: string;
  readonly nonce?: string | number;
  readonly enforce_nonce?: boolean;
  readonly components?: readonly Component[];
  readonly flags?: number;
  readonly message_reference?: { readonly message_id: string; readonly fail_if_not_exists?: boolean };
  readonly allowed_mentions?: { readonly parse?: readonly string[]; readonly users?: readonly string[] };
};

const mostBytes = 10 * 1024 * 1024;

/** What Discord would say against it. */
export function complaint(body: Posted, call: Call, isNew: boolean): Answer | undefined {
  const content = body.content ?? "";
  if ([...content].length > 2000) return problem(400, 50035, "Invalid Form Body: content over 2000");
  const isEmpty = content.trim() === "" && call.files.length === 0;
  if (isNew && isEmpty) return problem(400, 50006, "Cannot send an empty message");
  if (String(body.nonce ?? "").length > 25) return problem(400, 50035, "Invalid Form Body: nonce over 25");
  if (call.files.some((file) => file.bytes.length > mostBytes)) {
    return problem(413, 40005, "Request entity too large");
  }
  return complaintAboutRows(body.components ?? []);
}

function complaintAboutRows(rows: readonly Component[]): Answer | undefined {
  if (rows.length > 5) return problem(400, 50035, "Invalid Form Body: more than 5 rows");
  const buttons = rows.flatMap((row) => row.components ?? []);
  const ids = buttons.map((button) => button.custom_id ?? "");
  const isWrong =
    rows.some(
      (row) => row.type !== 1 || (row.components?.length ?? 0) < 1 || (row.components?.length ?? 0) > 5,
    ) ||
    new Set(ids).size !== ids.length ||
    ids.some((id) => id.length < 1 || id.length > 100) ||
    buttons.some(({ label = "" }) => label.length < 1 || label.length > 80);
  return isWrong ? problem(400, 50035, "Invalid Form Body: components") : undefined;
}

/** Files of a call, put where they can be fetched; as attachments of a message. */
export function attach(
  world: World,
  origin: string,
  channel: string,
  files: Call["files"],
): ApiMessage["attachments"] {
  return files.map((file) => {
    const id = world.snowflake();
    const path = `/attachments/${channel}/${id}/${encodeURIComponent(file.name)}`;
    world.files.set(path, { ...file, expiresAt: world.now() + 24 * 3_600_000 });
    return {
      id,
      filename: file.name,
      size: file.bytes.length,
      url: `${origin}${path}?ex=1&is=1&hm=1`,
      proxy_url: `${origin}${path}`,
      ...(file.type === "" ? {} : { content_type: file.type }),
    };
  });
}

/** Whom a message of the bot rings, by what it allows. */
export function rung(body: Posted): readonly string[] {
  const content = body.content ?? "";
  const allows = (kind: string): boolean =>
    body.allowed_mentions?.parse?.includes(kind) ?? body.allowed_mentions === undefined;
  return [
    ...(allows("everyone") ? [...content.matchAll(/@(?:everyone|here)/g)] : []),
    ...(allows("users") ? [...content.matchAll(/<@!?\d+>/g)] : []),
    ...(allows("roles") ? [...content.matchAll(/<@&\d+>/g)] : []),
  ].map(([name]) => name);
}
