import assert from "node:assert/strict";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { type NetGuard, netGuard } from "../net/guard.ts";
import { type Handler, startSite } from "./browser-world.suite.ts";
import { type GuardProxy, startGuardProxy } from "./guard-proxy.ts";

type Reply = { readonly status: number; readonly body: string; readonly headers: IncomingHttpHeaders };

const secret = ({ username, password }: Pick<GuardProxy, "username" | "password">): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;

function viaProxy(
  proxy: GuardProxy,
  path: string,
  options: { readonly auth?: string; readonly method?: string; readonly body?: string } = {},
): Promise<Reply> {
  const { port } = new URL(proxy.server);
  const auth = options.auth ?? secret(proxy);
  return new Promise((resolve, reject) => {
    const asked = request({
      host: "127.0.0.1",
      port,
      path,
      method: options.method ?? "GET",
      headers: {
        ...(auth === "" ? {} : { "proxy-authorization": auth }),
        "x-own": "kept",
        connection: "x-hop",
        "x-hop": "1",
      },
    });
    asked.on("response", async (answer) =>
      resolve({ status: answer.statusCode ?? 0, body: await text(answer), headers: answer.headers }),
    );
    asked.on("error", reject);
    asked.end(options.body);
  });
}

/** The first words of the proxy's answer to CONNECT, and what the far side says after `send`. */
function tunnelled(proxy: GuardProxy, authority: string, auth: string, send = ""): Promise<string> {
  const { port } = new URL(proxy.server);
  const socket = connect(Number(port), "127.0.0.1");
  const header = auth === "" ? "" : `Proxy-Authorization: ${auth}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${header}\r\n${send}`);
  return text(socket);
}

const echo: Handler = async (incoming, answer) => {
  answer.setHeader("set-cookie", ["a=1", "b=2"]);
  answer.setHeader("x-path", incoming.url ?? "");
  answer.end(JSON.stringify({ headers: incoming.headers, body: await text(incoming) }));
};

describe("the proxy of the browser", () => {
  test("passes on requests to a place that the guard lets through, without what is its own", async () => {
    await using site = await startSite(echo);
    await using proxy = await startGuardProxy(netGuard({ allowPrivate: [site.place] }));
    const reply = await viaProxy(proxy, `${site.origin}/a?b=1`, { method: "POST", body: "grüße" });
    const { headers, body } = JSON.parse(reply.body) as { headers: Record<string, string>; body: string };
    assert.deepEqual([reply.status, reply.headers["x-path"], body], [200, "/a?b=1", "grüße"]);
    assert.deepEqual(reply.headers["set-cookie"], ["a=1", "b=2"]);
    assert.equal(headers["host"], site.place);
    assert.equal(headers["x-own"], "kept");
    assert.equal(headers["proxy-authorization"], undefined);
    assert.equal(headers["x-hop"], undefined);
  });

  test("gives nothing to who does not know the secret", async () => {
    await using site = await startSite(echo);
    await using proxy = await startGuardProxy(netGuard({ allowPrivate: [site.place] }));
    const wrong = ["", "Basic", secret({ username: "browser", password: "guess" }), `${secret(proxy)}x`];
    for (const auth of wrong) {
      const { status, headers } = await viaProxy(proxy, site.origin, { auth });
      assert.equal(status, 407);
      assert.match(headers["proxy-authenticate"] ?? "", /^Basic/);
      assert.match(await tunnelled(proxy, site.place, auth), /^HTTP\/1\.1 407 /);
    }
    assert.deepEqual(site.hits, []);
  });

  test("refuses what the guard refuses, and remembers why", async () => {
    await using site = await startSite(echo);
    await using proxy = await startGuardProxy(netGuard({ allowPrivate: [] }));
    const reply = await viaProxy(proxy, `${site.origin}/x`);
    assert.equal(reply.status, 403);
    assert.match(reply.body, /not on the public internet/);
    assert.match(await tunnelled(proxy, site.place, secret(proxy)), /^HTTP\/1\.1 403 /);
    const [, port = ""] = site.place.split(":");
    assert.match(proxy.refusal("127.0.0.1", Number(port)) ?? "", /web\.allow_private/);
    assert.equal(proxy.refusal("example.com", 443), undefined);
    assert.deepEqual(site.hits, []);
  });

  test("connects to the address that was judged, whatever the name means to others", async () => {
    await using site = await startSite(echo);
    const port = Number(site.place.split(":")[1]);
    const asked: string[] = [];
    const guard: NetGuard = {
      async check(host, at) {
        asked.push(`${host}:${at}`);
        return { address: "127.0.0.1", family: 4, others: [] };
      },
    };
    await using proxy = await startGuardProxy(guard);
    const reply = await viaProxy(proxy, `http://name.example:${port}/n`);
    assert.equal(
      (JSON.parse(reply.body) as { headers: { host: string } }).headers.host,
      `name.example:${port}`,
    );
    const plain = await tunnelled(
      proxy,
      `other.example:${port}`,
      secret(proxy),
      "GET /t HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n",
    );
    assert.match(plain, /^HTTP\/1\.1 200 Connection Established\r\n\r\nHTTP\/1\.1 200 OK/);
    assert.deepEqual(asked, [`name.example:${port}`, `other.example:${port}`]);
    assert.deepEqual(site.hits, ["GET /n", "GET /t"]);
  });

  test("answers with an error what is no request for a proxy, and what cannot be reached", async () => {
    await using site = await startSite(echo);
    await using proxy = await startGuardProxy(netGuard({ allowPrivate: [site.place] }));
    assert.equal((await viaProxy(proxy, "/plain")).status, 400);
    assert.equal((await viaProxy(proxy, `ftp://${site.place}/`)).status, 400);
    assert.match(await tunnelled(proxy, "nowhere", secret(proxy)), /^HTTP\/1\.1 400 /);
    const { place } = site;
    await site[Symbol.asyncDispose]();
    assert.equal((await viaProxy(proxy, `http://${place}/`)).status, 502);
    assert.match(await tunnelled(proxy, place, secret(proxy)), /^HTTP\/1\.1 502 /);
  });

  test("closing it ends what runs through it", async () => {
    const arrived = Promise.withResolvers<void>();
    await using site = await startSite(() => arrived.resolve());
    await using proxy = await startGuardProxy(netGuard({ allowPrivate: [site.place] }));
    const open = viaProxy(proxy, site.origin);
    const tunnel = tunnelled(proxy, site.place, secret(proxy), "GET / HTTP/1.1\r\nHost: t\r\n\r\n").catch(
      () => "cut",
    );
    await arrived.promise;
    await proxy[Symbol.asyncDispose]();
    await assert.rejects(open);
    await tunnel;
  });
});
