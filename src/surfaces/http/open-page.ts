import type { Hono } from "hono";
import { setCookie } from "hono/cookie";
import { z } from "zod";
import { hashOf, newSecret } from "../../lib/secret.ts";
import { jsonBody } from "./body.ts";
import { HttpFailure } from "./failures.ts";
import { canonical, perMinute, tooMany } from "./limits.ts";
import { cookieName } from "./prove.ts";
import type { Behind, Env } from "./visit.ts";

const mostTries = 10;
const codeForm = z.strictObject({ code: z.string().min(1).max(200) });
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Lets a browser in, once: what `talaria open` has put behind `#` becomes a cookie that no script reads, and a token that no form sends. */
export function openPageRoutes(app: Hono<Env>, { http, clock, secure }: Behind): void {
  const tries = perMinute(mostTries, clock);
  app.get("/", (c) => c.html(page, 200, { "Content-Security-Policy": policy }));
  app.get("/open.js", (c) =>
    c.body(script, 200, {
      "Content-Type": "text/javascript; charset=utf-8",
      "Content-Security-Policy": policy,
    }),
  );
  app.post("/open", async (c) => {
    const wait = tries.add(canonical(c.env.incoming.socket.remoteAddress));
    if (wait !== undefined) throw tooMany("codes", wait);
    const sent = codeForm.safeParse(await jsonBody(c, 1000));
    const [cookie, token] = [newSecret(), newSecret()];
    const proof = { cookie: hashOf(cookie), token: hashOf(token) };
    const device = sent.success
      ? await http.access.letIn(hashOf(sent.data.code), proof, clock.now())
      : undefined;
    if (device === undefined)
      throw new HttpFailure(
        403,
        "refused",
        "This address lets nobody in any more.",
        "Make a new one: talaria open.",
      );
    setCookie(c, cookieName(secure), `${device.id}.${cookie}`, {
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      secure,
      maxAge: 180 * 24 * 3600,
    });
    return c.json({ device: device.id, name: device.name, scopes: device.scopes, token });
  });
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Talaria</title>
<style>body{font:16px/1.5 system-ui;max-width:34rem;margin:4rem auto;padding:0 1rem}</style>
<h1>Talaria</h1>
<p id="says">One moment…</p>
<script src="/open.js"></script>
</html>
`;

const script = `const says = (text) => { document.getElementById("says").textContent = text; };
const code = new URLSearchParams(location.hash.slice(1)).get("code");
history.replaceState(null, "", location.pathname);
const headers = { "Content-Type": "application/json" };
async function ask(path, body, more = {}) {
  const answer = await fetch(path, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error.message + " " + said.error.next);
  return said;
}
async function start() {
  if (code) localStorage.setItem("talaria.token", (await ask("/open", { code })).token);
  const token = localStorage.getItem("talaria.token");
  if (!token) return says("Run \\u201ctalaria open\\u201d on the machine to let this browser in.");
  const status = await ask("/api/host.status", {}, { "X-Talaria-Token": token });
  says("This browser is let in. Talaria " + status.version + " answers with " + status.model + ".");
}
start().catch((error) => says(error.message));
`;
