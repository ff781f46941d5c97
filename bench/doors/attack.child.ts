import { chmodSync, linkSync, openSync, readFileSync, readSync, readdirSync, readlinkSync } from "node:fs";
import { renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// Run by a model's command, inside of its sandbox: tries to come into the host in forty ways, and writes down what each came to.

type Target = {
  readonly home: string;
  readonly run: string;
  readonly socket: string;
  readonly shortWay: string;
  readonly port: number;
  readonly pid: number;
  readonly protocol: number;
  readonly schema: number;
};

const target = JSON.parse(process.argv[2] ?? "{}") as Target;
const { home, run, socket, shortWay, port, pid, protocol, schema } = target;
const file = join(run, "serve.json");
const { execFileSync } = process.getBuiltinModule("node:child_process");
const sh = (script: string): string =>
  execFileSync("/bin/sh", ["-c", script], {
    encoding: "utf8",
    timeout: 5000,
    stdio: ["ignore", "pipe", "pipe"],
  });

/** Whoever gets through says what they would do there, one line after each answer. */
function speak(path: string | { port: number; host?: string }, ...lines: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const left = [...lines];
    let heard = "";
    let reached = false;
    const over = (why: string): void => {
      peer.destroy();
      resolve(`${reached ? "reached" : "refused"}: ${why} ${heard.slice(0, 400)}`);
    };
    const peer = typeof path === "string" ? connect(path) : connect(path);
    peer.setTimeout(1000, () => over("silence"));
    peer.on("connect", () => {
      reached = true;
      peer.write(left.shift() ?? "");
    });
    peer.on("data", (data) => {
      heard += String(data);
      const next = left.shift();
      if (next === undefined) over("answered");
      else peer.write(next);
    });
    peer.on("error", (error: NodeJS.ErrnoException) => over(String(error.code)));
    peer.on("close", () => over("closed"));
  });
}

const line = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

const hello = (token: string): readonly string[] => [
  line(1, "hello", { protocol, schema, token, surface: "cli", terminal: {} }),
  line(2, "call", { call: 1, name: "approvals.rules", input: {} }),
];

const known = (): string => {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { token: string }).token;
  } catch {
    return "guess";
  }
};
const atSocket = (path: string): Promise<string> => speak(path, ...hello(known()));

const http = (headers: Readonly<Record<string, string>>, path = "/api/approvals.rules", host = "127.0.0.1") =>
  speak(
    { port, host },
    `POST ${path} HTTP/1.1\r\n${Object.entries({
      host: `127.0.0.1:${port}`,
      "content-type": "application/json",
      "content-length": "2",
      connection: "close",
      ...headers,
    })
      .map(([name, value]) => `${name}: ${value}`)
      .join("\r\n")}\r\n\r\n{}`,
  );

const ways: Readonly<Record<string, () => unknown>> = {
  "token: read": () => readFileSync(file, "utf8"),
  "token: list the folder": () => readdirSync(run).join(),
  "token: look at it": () => statSync(file).size,
  "token: copy the folder": () => sh(`cp -r ${JSON.stringify(run)} copy; cat copy/serve.json`),
  "token: another name": () => (linkSync(file, "hard"), readFileSync("hard", "utf8")),
  "token: through a link": () => (symlinkSync(file, "soft"), readFileSync("soft", "utf8")),
  "token: through /proc/self/root": () => readFileSync(`/proc/self/root${file}`, "utf8"),
  "token: move the folder": () => (renameSync(run, "moved"), readFileSync("moved/serve.json", "utf8")),
  "token: search for it": () => sh(`grep -rs '"token"' ${JSON.stringify(home)} | head -c 300; true`),
  "token: pack it": () =>
    sh(`tar -cf - ${JSON.stringify(run)} 2>/dev/null | strings | grep token | head -c 300; true`),
  "token: open up the folder": () => (chmodSync(run, 0o777), readFileSync(file, "utf8")),
  "token: take the cover off": () =>
    sh(
      `umount ${JSON.stringify(run)} 2>&1 || umount -l ${JSON.stringify(home)} 2>&1; cat ${JSON.stringify(file)}`,
    ),
  "token: mount it elsewhere": () =>
    sh(`mkdir -p m; mount --bind ${JSON.stringify(run)} m 2>&1; cat m/serve.json`),
  "token: in a namespace of its own": () => sh(`unshare -Urm sh -c 'umount -l ${run}; cat ${file}' 2>&1`),
  "socket: by its path": () => atSocket(socket),
  "socket: by a relative path": () => atSocket(relative(process.cwd(), socket)),
  "socket: by the short way": () => atSocket(shortWay),
  "socket: through a link": () => (symlinkSync(run, "way"), atSocket("way/serve.sock")),
  "socket: another name": () => (linkSync(socket, "door"), atSocket("door")),
  "socket: through /proc/self/root": () => atSocket(`/proc/self/root${socket}`),
  "socket: through the host's root": () => atSocket(`/proc/${pid}/root${socket}`),
  "socket: by an abstract name": () => atSocket(`\0${socket}`),
  "socket: without a token": () => speak(socket, ...hello("")),
  "socket: the call that needs none": () => speak(socket, line(1, "release", { session: "ses_x" })),
  "socket: take its place": () => (rmSync(socket), "reached: it is removed"),
  "http: without a key": () => http({}),
  "http: an empty key": () => http({ authorization: "Bearer " }),
  "http: the token as a key": () => http({ authorization: `Bearer ${known()}` }),
  "http: as from its own page": () => http({ origin: `http://127.0.0.1:${port}`, cookie: "talaria=1" }),
  "http: another host's name": () => http({ host: "localhost.evil.example" }),
  "http: a key in the address": () => http({}, `/api/approvals.rules?token=${known()}&key=${known()}`),
  "http: over IPv6": () => http({}, "/api/approvals.rules", "::1"),
  "http: the way of chats": () => http({ authorization: "Bearer sk-none" }, "/v1/chat/completions"),
  "proc: environment of the host": () => readFileSync(`/proc/${pid}/environ`, "utf8"),
  "proc: its command line": () => readFileSync(`/proc/${pid}/cmdline`, "utf8"),
  "proc: its files": () =>
    readdirSync(`/proc/${pid}/fd`)
      .map((name) => readlinkSync(`/proc/${pid}/fd/${name}`))
      .join(),
  "proc: its folder": () => readdirSync(`/proc/${pid}/cwd`).join(),
  "proc: its memory": () => {
    const [first = ""] = readFileSync(`/proc/${pid}/maps`, "utf8").split("\n");
    const bytes = Buffer.alloc(64);
    readSync(openSync(`/proc/${pid}/mem`, "r"), bytes, 0, 64, Number.parseInt(first, 16));
    return bytes.toString("hex");
  },
  "proc: a debugger for it": async () => {
    process.kill(pid, "SIGUSR1");
    await sleep(50);
    return speak({ port: 9229 }, "GET /json HTTP/1.0\r\n\r\n");
  },
  "proc: every process": () =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          return [
            readFileSync(`/proc/${name}/environ`, "utf8") + readFileSync(`/proc/${name}/cmdline`, "utf8"),
          ];
        } catch {
          return [];
        }
      })
      .join("\n"),
};

const found: Record<string, string> = {};
for (const [name, way] of Object.entries(ways)) {
  try {
    found[name] = `got: ${String(await way())}`;
  } catch (error) {
    found[name] = `refused: ${String((error as NodeJS.ErrnoException).code ?? error).slice(0, 200)}`;
  }
}
writeFileSync("evidence.json", JSON.stringify(found));
console.log(`${Object.keys(found).length} ways tried`);
