import type { Section } from "../setting.ts";

/** How programs and browsers reach `talaria serve`. */
export const httpSettings = {
  http: {
    about: "How programs and browsers reach `talaria serve`. See [the API](api.md).",
    keys: {
      port: {
        type: "port",
        meaning: "Port on which `talaria serve` takes requests; without it, or `--port`, it takes none.",
        confusedWith: ["serve.port", "api.port", "server.port"],
      },
      host: {
        type: "text",
        meaning:
          "Address to listen on. Another one than that of this machine itself needs `http.hosts`, a key, and TLS or `http.proxy`.",
        default: "127.0.0.1",
        confusedWith: ["http.bind", "http.listen", "http.address"],
      },
      hosts: {
        type: "texts",
        meaning:
          "Names by which requests may call this machine besides localhost, exactly as their Host header says them, such as [talaria.example, nas.local:8787].",
        default: [],
        confusedWith: ["http.allowed_hosts"],
      },
      origins: {
        type: "texts",
        meaning: "Web pages elsewhere that may ask with a key, such as [https://chat.example].",
        default: [],
        confusedWith: ["http.cors", "http.allowed_origins"],
      },
      tls_cert: { type: "text", meaning: "File with a certificate; then requests come over https." },
      tls_key: { type: "text", meaning: "File with the certificate's key." },
      proxy: {
        type: "yesOrNo",
        meaning: "Whether a proxy of yours in front of it speaks TLS to the world.",
        default: false,
      },
      body_mb: { type: "megabytes", meaning: "Size that a request may have.", default: 8 },
      per_minute: {
        type: "count",
        meaning: "Requests that a key or device may send in a minute.",
        default: 600,
      },
      concurrent: {
        type: "count",
        meaning: "Requests that a key or device may have open at once.",
        default: 32,
      },
      model_aliases: {
        type: "texts",
        meaning: "Names of models that clients insist on, such as [gpt-4o]; they mean the ordinary model.",
        default: [],
      },
      keys: {
        names: "text",
        keys: {
          key_env: {
            type: "variableName",
            required: true,
            meaning:
              "Name of the variable, in the environment or .env, that holds a key. Others are made by `talaria keys add`.",
          },
          scopes: { type: "scopes", meaning: "What it allows: read, operate, approve, admin." },
        },
      },
      webhooks: {
        names: "text",
        keys: {
          secret_env: {
            type: "variableName",
            required: true,
            meaning: "Name of the variable, in the environment or .env, that holds its secret.",
          },
          prompt: {
            type: "text",
            required: true,
            meaning: "What is to be done with what it sends, which follows as data.",
          },
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, Section>>;
