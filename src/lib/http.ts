import type Http from "node:http";
import type Https from "node:https";

/**
 * Node's http and https, loaded when they are needed. An `import` of them reads all that they export, `WebSocket` among it, and
 * so loads a second HTTP library at every start.
 */
export const http = (): typeof Http => process.getBuiltinModule("node:http");
export const https = (): typeof Https => process.getBuiltinModule("node:https");
