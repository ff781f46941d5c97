import assert from "node:assert/strict";
import { type IncomingHttpHeaders, type RequestListener, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Server } from "node:net";
import { type TestContext, describe, test } from "node:test";
import tls from "node:tls";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { onLoopback } from "../../../test/loopback.ts";
import { fakeClock } from "../../../test/fakes/fake-clock.ts";
import { systemClock } from "../../lib/clock.ts";
import { type Address, netGuard } from "./guard.ts";
import { type FetchOptions, type Fetched, guardedFetch, webAddress } from "./guarded-fetch.ts";
import { selfSigned } from "./self-signed.suite.ts";

const own: Address = { address: "127.0.0.1", family: 4 };

describe("a guarded fetch", () => {
  test("gives status, type, charset and body of what it finds", async (t) => {
    const url = await served(t, (_request, response) => {
      response.writeHead(404, { "content-type": 'Text/HTML; Charset="ISO-8859-1"' }).end("körper");
    });
    const { body, ...fetched } = await found(url);
    assert.deepEqual(fetched, {
      ok: true,
      url,
      status: 404,
      type: "text/html",
      charset: "iso-8859-1",
      notes: [],
    });
    assert.equal(Buffer.from(body).toString(), "körper");
  });

  test("tells nobody who asks: no cookies, no credentials, no kept connection", async (t) => {
    const seen: IncomingHttpHeaders[] = [];
    const url = await served(t, ({ url: path, headers }, response) => {
      seen.push(headers);
      response.setHeader("set-cookie", "id=1");
      if (path === "/") return void response.writeHead(302, { location: "/next" }).end();
      response.end();
    });
    const headers = {
      Cookie: "a=b",
      authorization: "Bearer x",
      "Proxy-Authorization": "y",
      "X-Api-Key": "z",
      "x-auth-token": "t",
      host: "evil.example",
      "accept-language": "de",
    };
    await found(url, { headers, accept: "text/html" });
    assert.equal(seen.length, 2);
    for (const each of seen) {
      assert.deepEqual(Object.keys(each).toSorted(), [
        "accept",
        "accept-encoding",
        "accept-language",
        "connection",
        "host",
        "user-agent",
      ]);
      assert.deepEqual([each.connection, each.host, each.accept], ["close", new URL(url).host, "text/html"]);
    }
  });

  for (const status of [301, 302, 303, 307, 308]) {
    test(`follows a redirect with status ${status}, also to a relative address`, async (t) => {
      const url = await served(t, ({ url: path }, response) => {
        if (path === "/") return void response.writeHead(status, { location: "a/../b?c#d" }).end();
        response.end(path);
      });
      const fetched = await found(url);
      assert.deepEqual([fetched.url, Buffer.from(fetched.body).toString()], [`${url}b?c#d`, "/b?c"]);
    });
  }

  test("follows five redirects and not a sixth", async (t) => {
    const url = await served(t, ({ url: path = "/0" }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) return void response.end("there");
      response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    assert.equal((await found(`${url}5`)).status, 200);
    assert.match(await why(`${url}6`), /redirects more than 5 times/);
  });

  test("checks where each redirect leads, and says so", async (t) => {
    const places = [
      "http://127.0.0.1:1/",
      "//[::1]:1/",
      "file:///etc/passwd",
      "http://u:p@127.0.0.1/",
      "http://%00/",
    ];
    const url = await served(t, ({ url: path = "/0" }, response) => {
      response.writeHead(302, { location: places[Number(path.slice(1))] ?? "" }).end();
    });
    const said = await Promise.all(places.map((_, at) => why(`${url}${at}`)));
    const expected = [
      /redirects: 127\.0\.0\.1:1 is not on/,
      /redirects: \[::1\]:1 is not/,
      /not file:/,
      /name or password/,
      /not a web address/,
    ];
    for (const [at, words] of said.entries()) assert.match(words, expected[at] ?? /never/);
  });

  test("takes a redirect without a place for the answer", async (t) => {
    const url = await served(t, (_request, response) => void response.writeHead(302).end("here"));
    assert.equal((await found(url)).status, 302);
  });

  for (const [encoding, pack] of [
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["identity", (text: string) => text],
    ["gzip, br", (text: string) => brotliCompressSync(gzipSync(text))],
  ] as const) {
    test(`unpacks ${encoding}`, async (t) => {
      const url = await served(t, (_request, response) => {
        response.writeHead(200, { "content-encoding": encoding }).end(pack("hello ".repeat(1000)));
      });
      assert.equal((await found(url)).body.length, 6000);
    });
  }

  for (const encoding of ["zip", "gzip, gzip, gzip", "constructor"]) {
    test(`does not guess how to unpack ${encoding}`, async (t) => {
      const url = await served(t, (_request, response) => {
        response.writeHead(200, { "content-encoding": encoding }).end("x");
      });
      assert.match(await why(url), /packed in a way/);
    });
  }

  test("says when what it unpacks is broken", async (t) => {
    const url = await served(t, (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("not packed at all");
    });
    assert.match(await why(url), /broke off/);
  });

  test("stops reading at the cap, as it comes and when unpacked", async (t) => {
    let sent = 0;
    const url = await served(t, ({ url: path }, response) => {
      if (path === "/bomb") {
        return void response
          .writeHead(200, { "content-encoding": "gzip" })
          .end(gzipSync(Buffer.alloc(20_000_000)));
      }
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(100_000))) sent += 100_000;
        response.once("drain", more);
      };
      more();
    });
    for (const path of ["bomb", "endless"]) {
      assert.match(await why(`${url}${path}`, { maxBytes: 1_000_000 }), /larger than 1 MiB/);
    }
    assert.ok(sent < 50_000_000, `${sent} bytes were sent`);
  });

  test("does not load what is unwanted", async (t) => {
    const url = await served(t, (_request, response) => {
      response.writeHead(200, { "content-type": "video/mp4" }).write("x");
    });
    assert.equal(await why(url, { unwanted: (type) => `no ${type}` }), "no video/mp4");
  });

  test("gives up when its time is over, whatever takes so long", async (t) => {
    for (const slow of ["headers", "body"]) {
      const clock = fakeClock();
      const asked = Promise.withResolvers<void>();
      const url = await served(t, (_request, response) => {
        if (slow === "body") response.write("x");
        asked.resolve();
      });
      const waiting = why(url, { clock });
      await asked.promise;
      await clock.advance(20_000);
      assert.match(await waiting, /did not answer within 20 s/);
    }
  });

  test("ends at once when it is stopped, and closes the connection", async (t) => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    const url = await served(t, (request) => {
      request.socket.once("close", () => closed.resolve());
      stop.abort();
    });
    assert.match(await why(url, { signal: stop.signal }), /stopped/);
    await closed.promise;
  });

  test("says when a connection is refused or breaks off", async (t) => {
    const url = await served(t, ({ url: path }, response) => {
      if (path === "/half") response.writeHead(200, { "content-length": "100" }).write("half");
      response.destroy();
    });
    assert.match(await why(`${url}reset`), /could not be reached \(ECONNRESET\)/);
    assert.match(await why(`${url}half`), /broke off|could not be reached/);
  });

  test("tries the next address of a name when nobody listens at the first", async (t) => {
    const url = await served(t, (_request, response) => void response.end("there"));
    const { port } = new URL(url);
    const guard = { check: async () => ({ address: "127.0.0.3", family: 4 as const, others: [own] }) };
    assert.equal((await found(`http://some.example:${port}/`, { guard })).status, 200);
  });

  test("asks the checked address for the host that was named", async (t) => {
    const hosts: unknown[] = [];
    const url = await served(t, ({ headers }, response) => {
      hosts.push(headers.host);
      response.end();
    });
    const { port } = new URL(url);
    const guard = netGuard({ allowPrivate: [`some.example:${port}`], resolve: async () => [own] });
    await found(`http://some.example:${port}/`, { guard });
    assert.deepEqual(hosts, [`some.example:${port}`]);
  });

  test("wants a certificate for the name, not for the address, and mentions a way down to http", async (t) => {
    const before = tls.getCACertificates("default");
    t.after(() => tls.setDefaultCACertificates(before));
    const { key, cert } = selfSigned("good.example");
    tls.setDefaultCACertificates([...before, cert]);
    const plain = new URL(await served(t, (_request, response) => void response.end()));
    const secure = createSecureServer({ key, cert }, ({ url: path }, response) => {
      if (path === "/down") return void response.writeHead(302, { location: plain.href }).end();
      response.end("safe");
    });
    const port = await listening(t, secure);
    const allowPrivate = [`good.example:${port}`, `other.example:${port}`, plain.host];
    const guard = netGuard({ allowPrivate, resolve: async () => [own] });
    assert.equal((await found(`https://good.example:${port}/`, { guard })).status, 200);
    assert.match(await why(`https://other.example:${port}/`, { guard }), /ERR_TLS_CERT_ALTNAME_INVALID/);
    const { notes } = await found(`https://good.example:${port}/down`, { guard });
    assert.deepEqual(notes, ["The way there led from https to http."]);
  });
});

test("an address is fetched only over http and https, and without a name or password in it", () => {
  for (const good of ["http://a.example", "HTTPS://A.example:8443/x?y#z"])
    assert.ok(webAddress(good) instanceof URL);
  for (const bad of [
    "",
    "a.example",
    "/x",
    "ftp://a",
    "file:///x",
    "data:,x",
    "javascript:x",
    "http://",
    "http://u@a/",
    "http://:p@a/",
    "blob:http://a/",
  ]) {
    assert.ok("why" in webAddress(bad), bad);
  }
});

type Given = Partial<FetchOptions>;

/** Every server of these tests may be reached. */
const fetchOf = (url: string, given: Given): Promise<Fetched> => {
  const guard = netGuard({ allowPrivate: [URL.parse(url)?.host ?? ""] });
  return guardedFetch(url, { guard, clock: systemClock, signal: new AbortController().signal, ...given });
};

async function found(url: string, given: Given = {}): Promise<Fetched & { readonly ok: true }> {
  const fetched = await fetchOf(url, given);
  if (!fetched.ok) assert.fail(fetched.why);
  return fetched;
}

async function why(url: string, given: Given = {}): Promise<string> {
  const fetched = await fetchOf(url, given);
  if (fetched.ok) assert.fail(`it was fetched with status ${fetched.status}`);
  return fetched.why;
}

const served = async (t: TestContext, answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listening(t, createServer(answer))}/`;

async function listening(t: TestContext, server: Server & { closeAllConnections(): void }): Promise<number> {
  const bound = await onLoopback(server);
  t.after(() => bound[Symbol.asyncDispose]());
  return bound.port;
}
