import { RequestError } from "@hono/node-server";
import type { Duplex } from "node:stream";
import { HttpFailure, answered, errorBody } from "./failures.ts";

/** What Node cannot read as a request is answered all the same, and then nothing more is read. */
export function turnAway(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const [status, reason, message, next] = answers[error.code ?? ""] ?? malformed;
  const body = JSON.stringify(errorBody({ code: "usage", message, next }, status));
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** A request whose Host and path make no address never reaches a route. */
export function noAddress(error: unknown): Response {
  const [, , message, next] = malformed;
  const { status, failure } = answered(
    error instanceof RequestError ? new HttpFailure(400, "usage", message, next) : error,
  );
  return Response.json(errorBody(failure, status), { status });
}

type Answer = readonly [status: number, reason: string, message: string, next: string];

const malformed: Answer = [400, "Bad Request", "This is no HTTP request.", "Send one that is well-formed."];

const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    "Request Header Fields Too Large",
    "The head of the request is too large.",
    "Send shorter headers, and a shorter address.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    "Request Timeout",
    "The request took too long to come.",
    "Send it again, all at once.",
  ],
};
