/**
 * Node's http and https, loaded when they are needed. An `import` of them reads all that they export, `WebSocket` among it, and
 * so loads a second HTTP library at every start.
 */
export const http = (): typeof import("node:http") => process.getBuiltinModule("node:http");
export const https = (): typeof import("node:https") => process.getBuiltinModule("node:https");
