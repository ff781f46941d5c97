import { readFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FaultError } from "../../core/faults.ts";
import type { HttpBehind, HttpSettings } from "../../core/access.ts";
import { http, https } from "../../lib/http.ts";

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host.startsWith("127.");

/** Throws a FaultError `config` unless it is safe to listen there. Beyond this machine that takes a word about each of these. */
export async function requireSafe({ settings, access, secret }: HttpBehind): Promise<void> {
  const { host, hosts, tls, proxy, keys } = settings;
  if (isLoopback(host)) return;
  const why = (missing: string, next: string): FaultError =>
    new FaultError({
      code: "config",
      message: `http.host is ${host}, which others can reach, and ${missing}.`,
      next,
    });
  if (tls === undefined && !proxy)
    throw why(
      "what is said there could be read on the way",
      "Set http.tls_cert and http.tls_key, or http.proxy when a proxy of yours speaks TLS; or leave http.host out and come over ssh.",
    );
  if (hosts.length === 0)
    throw why(
      "nobody has said what it is called there",
      "Name it in http.hosts, as browsers will: [talaria.example].",
    );
  const working = (await access.keys()).some(({ revokedAt }) => revokedAt === undefined);
  if (!working && !Object.values(keys).some(({ keyEnv }) => secret(keyEnv) !== undefined))
    throw why("there is no key", "Make one first: talaria keys add NAME.");
}

/** Names by which a request may call us, in small letters. */
export const hostNames = ({ host, hosts }: HttpSettings, port: number): ReadonlySet<string> =>
  new Set([
    ...["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`),
    ...(isLoopback(host) && !host.includes(":") ? [`${host}:${port}`] : []),
    ...hosts.map((name) => name.toLowerCase()),
  ]);

/** Pages that are our own. */
export const ownOrigins = (names: ReadonlySet<string>, { tls, proxy }: HttpSettings): ReadonlySet<string> =>
  new Set(
    [...names].flatMap((name) => [
      ...(tls === undefined ? [`http://${name}`] : []),
      ...(tls !== undefined || proxy ? [`https://${name}`] : []),
    ]),
  );

export type Listening = {
  readonly server: Server;
  readonly port: number;
  readonly address: string;
};

/** Slow or endless requests end; an answer may take as long as a turn does. Who is called what, our own door looks at. */
const patience = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false,
};

export async function listen({ host, tls }: HttpSettings, port: number): Promise<Listening> {
  const server = await serverFor(tls);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(listenFault(host, port, error)));
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  return { server, port: bound, address: `${tls === undefined ? "http" : "https"}://${name}:${bound}` };
}

async function serverFor(tls: HttpSettings["tls"]): Promise<Server> {
  if (tls === undefined) return http().createServer(patience);
  const [cert, key] = await Promise.all([readFile(tls.cert), readFile(tls.key)]).catch((error: unknown) => {
    const message = `The certificate for HTTP cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new FaultError({ code: "config", message, next: "Look at http.tls_cert and http.tls_key." }, error);
  });
  try {
    return https().createServer({ cert, key, ...patience }) as unknown as Server;
  } catch (error) {
    const message = `${tls.cert} and ${tls.key} are not a certificate and its key (PEM): ${(error as Error).message}`;
    throw new FaultError({ code: "config", message, next: "Look at http.tls_cert and http.tls_key." }, error);
  }
}

const listenFault = (host: string, port: number, error: NodeJS.ErrnoException): FaultError =>
  new FaultError(
    {
      code: "config",
      message: `Talaria cannot listen on ${host}, port ${port}: ${error.message}.`,
      next:
        error.code === "EADDRINUSE"
          ? "Somebody else listens there: choose another http.port."
          : "Look at http.host and http.port.",
    },
    error,
  );
