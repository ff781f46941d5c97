import { hasAbility } from "../../../src/runtimes/codex/process/version.ts";
import type { Step } from "./script.ts";
import { field, loaded, type Method, type Params, Refusal, type Session, threadId } from "./session.ts";
import type { LiveThread } from "./stage.ts";
import { turnJson } from "./thread-log.ts";
import { chosen } from "./thread-settings.ts";
import { type Said, startTurn, wordsOf } from "./turns.ts";

export const turnStart: Method = async (session, params, respond) => {
  const live = loaded(session, threadId(params));
  const said = saidIn(session, params);
  const id = live.thread.meta.id;
  const running = session.active.get(id);
  if (running !== undefined) {
    running.steer(said);
    return respond({ turn: turnJson(running.turn, "notLoaded", true) });
  }
  live.thread.meta = { ...live.thread.meta, ...chosen(params) };
  session.home.lock(id);
  begin(session, live, said, stepsFor(session, wordsOf(said)), (turn) => respond({ turn }));
};

/** The turn runs on its own; nothing waits for it here. */
export function begin(
  session: Session,
  live: LiveThread,
  said: Said,
  steps: readonly Step[],
  respond: (turn: object) => Promise<void>,
): void {
  const { id } = live.thread.meta;
  const onRest = (): void => void session.active.delete(id);
  const turn = startTurn(session, {
    live,
    said,
    steps,
    stepsFor: (words) => takeTurn(session, words),
    respond,
    onRest,
  });
  session.active.set(id, turn);
}

export const turnSteer: Method = async (session, params, respond) => {
  const id = loaded(session, threadId(params)).thread.meta.id;
  const expected = field(params, "expectedTurnId");
  const running = session.active.get(id);
  if (running === undefined) throw new Refusal("no active turn to steer");
  if (running.turn.id !== expected)
    throw new Refusal(`expected active turn id \`${String(expected)}\` but found \`${running.turn.id}\``);
  running.steer(saidIn(session, params));
  await respond({ turnId: running.turn.id });
};

export const turnInterrupt: Method = async (session, params, respond) => {
  const live = loaded(session, threadId(params));
  const wanted = field(params, "turnId");
  const running = session.active.get(live.thread.meta.id);
  const found = running?.turn.id ?? live.stale?.turn;
  if (found === undefined) throw new Refusal("no active turn to interrupt");
  if (wanted !== "" && wanted !== found)
    throw new Refusal(`expected active turn id ${String(wanted)} but found ${found}`);
  if (running !== undefined) return running.interrupt(() => respond({}));
  if (wanted === "") return respond({});
  live.stale?.replies.push(() => respond({})); // answered when the next turn ends
};

function stepsFor(session: Session, words: string): readonly Step[] {
  const steps = takeTurn(session, words) ?? session.script.otherwise;
  if (steps !== undefined) return steps;
  session.violation({ violation: "the script has no turn for this", words });
  const message = `fake-codex: the script has no turn for “${words.slice(0, 80)}”`;
  return [{ fail: { codexErrorInfo: "other", message } }];
}

function takeTurn(session: Session, words: string): readonly Step[] | undefined {
  const fits = session.script.turns.entries().filter(([, { expect = "" }]) => new RegExp(expect).test(words));
  for (const [index, { emit }] of fits) if (session.home.takeTurn(index)) return emit;
  return undefined;
}

function saidIn(session: Session, params: Params): Said {
  const input = field(params, "input") as readonly Params[];
  const remote = input.find(({ type, url }) => type === "image" && !String(url).startsWith("data:"));
  if (remote !== undefined)
    throw new Refusal("remote image URLs are not supported; use an inline data URL instead");
  const id = (params["clientUserMessageId"] as string | undefined) ?? null;
  return { input, clientId: hasAbility("clientIds", session.script.version) ? id : undefined };
}
