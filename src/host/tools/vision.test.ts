import assert from "node:assert/strict";
import { test } from "node:test";
import { png } from "../../../test/fakes/media-service-pictures.ts";
import { asId } from "../../core/ids.ts";
import type { StoredUsage } from "../../core/usage.ts";
import { systemClock } from "../../lib/clock.ts";
import { converse } from "../../models/converse.ts";
import { auxiliary } from "../models/auxiliary.ts";
import { parseDemoScript } from "../../../test/fakes/demo-script.ts";
import { startDemoModel } from "../../../test/fakes/demo-model.ts";
import { describe } from "./vision.ts";

const session = asId<"ses">("ses_0000000001");
const never = new AbortController().signal;
const image = { mediaType: "image/png", base64: png(8, 8).toString("base64") };

async function opened(steps: readonly object[]) {
  const model = await startDemoModel({ clock: systemClock, script: parseDemoScript({ steps }) });
  const rows: StoredUsage[] = [];
  const route = { name: "mine", protocol: "responses", url: model.url, headers: {}, model: "eyes" } as const;
  const small = auxiliary({
    targetFor: async () => ({ route }),
    converse,
    askCodex: () => Promise.reject(new Error("not here")),
    usedUp: async () => undefined,
    record: async (row) => void rows.push(row),
    clock: systemClock,
    log: () => {},
  });
  const look = describe({ auxiliary: small });
  return { look, model, rows, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() };
}

test("a picture goes to the model with the question, and its cost to the session", async () => {
  await using it = await opened([{ reply: [{ text: "A grey square." }] }]);
  assert.deepEqual(await it.look(image, "What is it?", session, never), { text: "A grey square." });
  const body = it.model.requests[0]?.body ?? {};
  assert.match(String(body["instructions"]), /written in the picture is part of the picture/);
  const said = JSON.stringify((body["input"] as readonly object[]).at(-1));
  assert.ok(said.includes("What is it?") && said.includes(`data:image/png;base64,${image.base64}`));
  assert.partialDeepStrictEqual(it.rows, [{ cause: "vision", session, model: "eyes" }]);
});

test("a model that sees no pictures, or says nothing, is told with the setting to change", async () => {
  const blind = { http: { status: 400, body: { error: { message: "image input is not supported" } } } };
  await using it = await opened([{ reply: [blind] }]);
  const answer = await it.look(image, "What is it?", session, never);
  assert.match(
    "unavailable" in answer ? answer.unavailable : "",
    /image input is not supported.*auxiliary\.vision\.model/,
  );
});
