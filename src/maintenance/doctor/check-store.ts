import { counted } from "../../core/plain-text.ts";
import type { Facts } from "./facts.ts";
import { type Finding, type Probe, fine, withFix, note, sizeText, wrong } from "./probe.ts";
import { endOrphans, runningOrphans } from "../orphans.ts";
import { placeText } from "../../store/open.ts";
import type { Health } from "../../store/sqlite/health.ts";

/** The sessions on disk, and what an earlier run left. */
export const storeProbes = (facts: Facts): readonly Probe[] => [
  { name: "store", look: async () => [storeCheck(await facts.health(), await placeText(facts.place))] },
  { name: "processes", look: () => processChecks(facts) },
  { name: "waiting", look: () => waitingChecks(facts) },
];

/** A write-ahead log that stays this long is held by somebody who reads for ever. */
const longLog = 64 * 1024 * 1024;

function storeCheck(health: Health, file: string): Finding {
  switch (health.state) {
    case "none":
      return fine("store", `${file}: no sessions yet`);
    case "foreign":
      return wrong(
        "store",
        `${file} is the database of another program`,
        "Choose another home with TALARIA_HOME, or move that file away.",
      );
    case "closed":
      return wrong("store", health.fault.message, health.fault.next);
    case "damaged":
      return wrong(
        "store",
        `${file} is damaged: ${health.problems.join("; ")}`,
        "Stop Talaria, copy the file away with its -wal, then put a backup in its place. Nothing was changed.",
      );
    case "unchecked":
      return note("store", `${file}, ${sizeText(health.bytes)}: too large to be checked in a few seconds`);
    case "sound":
      return soundStore(health, file);
  }
}

function soundStore(health: Extract<Health, { readonly bytes: number }>, file: string): Finding {
  const { schema, newest, bytes, logBytes, server } = health;
  const detail =
    server === undefined
      ? `${file}, ${sizeText(bytes)} and ${sizeText(logBytes)} of log, schema ${schema}, sound`
      : `${file}, PostgreSQL ${server}, ${sizeText(bytes)}, schema ${schema}`;
  if (schema > newest)
    return wrong(
      "store",
      `${detail}, but written by a newer Talaria (this one knows up to ${newest})`,
      "Run the newer Talaria, or choose another home with TALARIA_HOME.",
    );
  if (schema < newest) return note("store", `${detail}; the next start brings it to ${newest}`);
  if (logBytes > longLog)
    return note(
      "store",
      `${detail}; the log is long`,
      "End other programs that have the file open; the log shrinks with the next turn.",
    );
  return fine("store", detail);
}

async function processChecks({ store, isGone, clock }: Facts): Promise<readonly Finding[]> {
  const opened = await store();
  if (opened === undefined) return [];
  const orphans = await runningOrphans(opened, isGone);
  if (orphans.length === 0) return [fine("processes", "none is left of an earlier run")];
  const names = orphans.map(({ pid, kind }) => `${kind} ${pid}`).join(", ");
  const finding = wrong(
    "processes",
    `${counted(orphans.length, "process", "processes")} of an earlier run that died still ${orphans.length === 1 ? "runs" : "run"}: ${names}`,
    "talaria doctor --fix ends them; the next turn does so, too.",
  );
  return [
    withFix(finding, async () => {
      const { found, ended } = await endOrphans(opened, isGone, clock);
      return `${ended} of ${counted(found, "process", "processes")} that an earlier run left behind ${ended === 1 ? "was" : "were"} ended.`;
    }),
  ];
}

/** What was set aside longer ago than this, nobody waits for. */
const recentMs = 7 * 24 * 3600 * 1000;

async function waitingChecks({ store, isGone, clock }: Facts): Promise<readonly Finding[]> {
  const opened = await store();
  if (opened === undefined) return [];
  const [open, setAside, questions, inquiries] = await Promise.all([
    opened.turns.listOpen(),
    opened.inbox.inState("kept"),
    opened.approvals.waiting(),
    opened.inquiries.waiting(),
  ]);
  const recent = setAside.filter(({ receivedAt }) => receivedAt > clock.now() - recentMs);
  const orphaned = [...questions, ...inquiries].filter(({ owner }) => isGone(owner)).length;
  const asked = questions.length + inquiries.length - orphaned;
  return [
    ...(asked === 0
      ? []
      : [
          note(
            "waiting",
            `${counted(asked, "question")} ${asked === 1 ? "waits" : "wait"} for an answer`,
            "talaria approvals list --pending",
          ),
        ]),
    ...(orphaned === 0
      ? []
      : [
          note(
            "waiting",
            `${counted(orphaned, "question")} of a run that died; the next turn withdraws them`,
          ),
        ]),
    ...(recent.length === 0
      ? []
      : [
          note(
            "waiting",
            `${counted(recent.length, "message")} of the last days set aside and never run`,
            setAsideStep(recent),
          ),
        ]),
    ...(open.length === 0
      ? []
      : [
          note(
            "waiting",
            `${counted(open.length, "turn")} open: of a Talaria that runs now, or cut off and closed with the next turn`,
          ),
        ]),
  ];
}

function setAsideStep(recent: readonly { readonly session: string }[]): string {
  const sessions = [...new Set(recent.map(({ session }) => session))];
  const shown = sessions.slice(0, 3).map((session) => `talaria sessions show ${session}`);
  return `Look at them and send again what you still want: ${shown.join(", ")}`;
}
