import assert from "node:assert/strict";
import { test } from "node:test";
import { asId } from "../../core/ids.ts";
import type { Store } from "../../store/store.ts";
import { fenced } from "../../tools/net/fenced.ts";
import { heardResults } from "./heard-results.ts";
import { knownAddress } from "./known-addresses.ts";

const here = asId<"ses">("ses_here");
const empty = { sessions: { get: async () => undefined, messages: async () => [] } } as unknown as Store;

test("an address that a search found for another program is known there, and nowhere else", async () => {
  const heard = heardResults();
  const isKnown = knownAddress(heard.over(empty).sessions);
  const page = "https://example.org/herons";
  assert.equal(await isKnown(here, page), false);
  heard.note(here, "web_search", fenced("a search", `1. Herons\n   ${page}`));
  assert.equal(await isKnown(here, page), true);
  assert.equal(await isKnown(asId<"ses">("ses_other"), page), false);
  heard.note(here, "todo", fenced("a list", "https://example.org/made-up"));
  assert.equal(await isKnown(here, "https://example.org/made-up"), false, "other tools repeat the model");
});

test("only the latest results are kept", async () => {
  const heard = heardResults();
  for (let at = 0; at < 200; at += 1)
    heard.note(here, "web_search", fenced("a search", `https://example.org/${at}`));
  const rows = await heard.over(empty).sessions.messages(here);
  assert.equal(rows.length, 100);
  assert.equal(await knownAddress(heard.over(empty).sessions)(here, "https://example.org/199"), true);
});
