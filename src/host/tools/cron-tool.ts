import type { NewSchedule } from "../../core/work/work.ts";
import { oneLine, short } from "../../core/plain-text.ts";
import { Refusal } from "../../core/host.ts";
import { askedRunText, madeText, schedulesText } from "../../operations/text/work-text.ts";
import type { CronCall, CronIntent, CronSource } from "../../tools/cronjob.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { Foundation } from "../foundation.ts";
import type { HostWork } from "../work/host-work.ts";

export type CronNeeds = Pick<Foundation, "store"> & { readonly work: Pick<HostWork, "cron"> };

/** The tool with which models make schedules. What it does is what people do with `talaria cron`, within what models may. */
export const cronTools = (needs: CronNeeds) => async (): Promise<readonly Tool[]> => {
  const { cronTool } = await import("../../tools/cronjob.ts");
  return [cronTool(cronSource(needs)) as Tool];
};

const cronSource = (needs: CronNeeds): CronSource => ({
  look: (call, context) => look(needs, call, context),
  act: (call, context) => act(needs, call, context),
});

async function look(needs: CronNeeds, call: CronCall, context: ToolContext): Promise<CronIntent> {
  const { action, name = "", when = "", prompt = "" } = call;
  if (action === "list") return { leads: "none", summary: "list schedules" };
  if (action === "add") {
    await makerOf(needs, context);
    return { leads: "work", summary: short(`schedule ${when}: ${oneLine(prompt)}`, 200) };
  }
  const schedule = await changeable(needs, name, context);
  const to = [when, oneLine(prompt)].filter((word) => word !== "").join(": ");
  const summary = `${action} the schedule “${schedule.name}”${action === "edit" ? ` to ${to}` : ""}`;
  return { leads: action === "pause" ? "own" : "work", summary: short(summary, 200) };
}

async function act(needs: CronNeeds, call: CronCall, context: ToolContext): Promise<string> {
  const { action, name = "" } = call;
  const cron = await needs.work.cron();
  if (action === "list") return schedulesText(await cron.list());
  if (action === "add") {
    const { when = "", prompt: text = "" } = call;
    const { runtime, model } = (await needs.store.sessions.get(context.session)) ?? {};
    const here = {
      cwd: context.cwd,
      ...(runtime === undefined ? {} : { runtime }),
      ...(model === undefined ? {} : { model }),
    };
    const wanted = { ...here, ...wantedIn(call), when, text };
    return madeText(await cron.add(wanted, await makerOf(needs, context)));
  }
  const { id } = await changeable(needs, name, context);
  switch (action) {
    case "edit": {
      const { name: _which, ...change } = wantedIn(call);
      if (Object.keys(change).length === 0) throw new Refusal("usage", "There is nothing to change.", "");
      return madeText(await cron.edit(id, change));
    }
    case "pause":
      return `Paused: “${(await cron.pause(id, context.from)).name}”.`;
    case "resume":
      return madeText(await cron.resume(id));
    case "run":
      return askedRunText(await cron.run(id));
    case "remove":
      return `Removed: “${(await cron.remove(id)).name}”.`;
  }
}

const wantedIn = ({ name, when, prompt, zone, catch_up: catchUp }: CronCall): Partial<NewSchedule> => ({
  ...(name === undefined ? {} : { name }),
  ...(when === undefined ? {} : { when }),
  ...(prompt === undefined ? {} : { text: prompt }),
  ...(zone === undefined ? {} : { zone }),
  ...(catchUp === undefined ? {} : { catchUp }),
});

async function makerOf({ store }: CronNeeds, context: ToolContext) {
  return (await import("../../work/by-model.ts")).makerIn(store, context);
}

async function changeable({ store }: CronNeeds, name: string, context: ToolContext) {
  const [{ makerIn, mayChange }, { named }] = await Promise.all([
    import("../../work/by-model.ts"),
    import("../../work/cron.ts"),
  ]);
  const maker = await makerIn(store, context);
  const schedule = await named(store, name);
  mayChange(maker, schedule);
  return schedule;
}
