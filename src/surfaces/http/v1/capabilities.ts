import type { Hono } from "hono";
import type { Behind, Env } from "../visit.ts";
import { chatFields } from "./chat.ts";
import { withoutEffect } from "./fields.ts";
import { ownModel } from "./models.ts";
import { responseFields } from "./responses.ts";
import { runFields } from "./runs.ts";

/** `GET /v1/capabilities`: what a program can count on before it sends anything. */
export function capabilityRoutes(app: Hono<Env>, { http }: Behind): void {
  const { bodyBytes, perMinute, concurrent } = http.settings;
  app.get("/v1/capabilities", (c) => {
    const { caller, budget } = c.get("visitor");
    return c.json({
      object: "capabilities",
      model: ownModel,
      endpoints: [
        ...new Set(
          app.routes.flatMap(({ method, path }) =>
            path.startsWith("/v1/") ? [`${method} ${path.replace("{.+}", "")}`] : [],
          ),
        ),
      ],
      input: ["text", "image"],
      output: ["text", "json_schema"],
      stream: true,
      usage_in_stream: true,
      client_tools: false,
      sessions: {
        headers: ["X-Talaria-Session", "X-OpenWebUI-Chat-Id"],
        fields: ["conversation", "previous_response_id"],
        branches: true,
      },
      on_disconnect: ["detach", "stop"],
      fields: {
        "/v1/chat/completions": chatFields,
        "/v1/responses": responseFields,
        "/v1/runs": runFields,
        without_effect: [...withoutEffect],
      },
      limits: { body_bytes: bodyBytes, requests_per_minute: perMinute, concurrent_requests: concurrent },
      key: { scopes: caller.scopes ?? [], budget: budget ?? null },
    });
  });
}
