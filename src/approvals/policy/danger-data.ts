import type { InspectedInvocation, Rule } from "./danger.ts";
import { hasOption, operands } from "../shell/shell-invocation.ts";

/** Rules about databases, clouds and registries. */
export const dataRules: readonly Rule[] = [
  { label: "data-destroy", holds: destroysData },
  { label: "cloud-destroy", holds: destroysElsewhere },
  { label: "publish", holds: publishes },
];

const clients =
  /^(psql|mysql|mariadb|sqlite3?|duckdb|clickhouse(-client)?|sqlcmd|cockroach|snowsql|bq|cqlsh|usql|pgcli|mycli|litecli|turso|sqlplus|isql|wrangler|supabase|prisma)$/;

function destroysData({ name, args, invocation, code }: InspectedInvocation): boolean {
  if (/^(dropdb|dropuser|pg_dropcluster|mysqladmin|pg_resetwal)$/.test(name))
    return name !== "mysqladmin" || args.includes("drop");
  if (/^redis-cli$|^valkey-cli$/.test(name))
    return /\b(flushall|flushdb|del|unlink|shutdown)\b/i.test([...args, invocation.stdin ?? ""].join(" "));
  if (/^mongo(sh)?$/.test(name))
    return /drop(database|)\s*\(|deletemany|remove\s*\(/i.test([...args, invocation.stdin ?? ""].join(" "));
  if (/^(rails|rake|bin\/rails|knex|sequelize|typeorm|prisma|artisan|django-admin)$/.test(name)) {
    if (
      args.some((arg) =>
        /^(db:(drop|reset|wipe|truncate.*|schema:load|migrate:reset)|migrate:(fresh|reset)|schema:drop|flush|--force-reset)$/.test(
          arg,
        ),
      )
    )
      return true;
    if (name === "prisma" && args.includes("reset")) return true;
  }
  if (code !== "") return destroysRows(code, true);
  return clients.test(name) && [...args, invocation.stdin ?? ""].some((text) => destroysRows(text, false));
}

/** `inCode`: statements stand between quotes and need no end. */
function destroysRows(text: string, inCode: boolean): boolean {
  const statements = withoutComments(text).split(inCode ? /[;"'`]/ : ";");
  return statements.some((statement) => {
    if (
      /\b(drop|truncate)\s+(table|database|schema|view|materialized|index|role|user|tablespace|collection|keyspace|function|column|owned)\b/i.test(
        statement,
      )
    )
      return true;
    if (/^\s*truncate\s+\w/i.test(statement) && !inCode) return true;
    if (/^\s*alter\s+table\b/i.test(statement) && /\bdrop\b/i.test(statement)) return true;
    if (/\bdelete\s+from\b/i.test(statement))
      return !/\bwhere\b/i.test(statement) || /\bwhere\s+(1\s*=\s*1|true|1)\s*$/i.test(statement);
    return /^\s*update\s+\S+\s+set\b/i.test(statement) && !/\bwhere\b/i.test(statement);
  });
}

function withoutComments(text: string): string {
  const parts = text.split("\n");
  // The last line keeps its dashes: it may be an option of the client.
  const lines = parts
    .map((line, index) => (index < parts.length - 1 ? (line.split("--", 1)[0] ?? "") : line))
    .join("\n");
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const start = lines.indexOf("/*", at);
    const end = start < 0 ? -1 : lines.indexOf("*/", start + 2);
    if (end < 0) return [...kept, lines.slice(at)].join(" ");
    kept.push(lines.slice(at, start));
    at = end + 2;
  }
}

function destroysElsewhere({ name, args }: InspectedInvocation): boolean {
  const words = operands(args);
  const says = (...verbs: readonly string[]): boolean =>
    words.some((word) => verbs.includes(word.toLowerCase()));
  if (/^(terraform|tofu|pulumi|cdk|serverless|sls|eksctl)$/.test(name))
    return says("destroy", "delete", "remove") || args.includes("-destroy");
  if (/^(kubectl|oc|helm|k)$/.test(name))
    return (
      says("delete", "drain", "uninstall", "replace") && !args.some((arg) => arg.startsWith("--dry-run"))
    );
  if (
    /^(aws|gcloud|az|doctl|flyctl|fly|heroku|vercel|netlify|gsutil|rclone|s3cmd|mc|wrangler|hcloud|linode-cli|supabase|railway)$/.test(
      name,
    )
  ) {
    return (
      words.some((word) =>
        /^(rm|rb|rmb|delete|destroy|purge|deletefile|remove|apps:destroy|cleanup|del|sync-delete)$|^(delete|terminate|destroy|purge|remove|deregister|revoke)-/i.test(
          word,
        ),
      ) ||
      (name === "aws" && args.includes("--delete"))
    );
  }
  if (/^(docker|podman|nerdctl|docker-compose)$/.test(name)) {
    if (says("prune", "rmi")) return true;
    if (says("volume", "network", "image", "container") && says("rm", "remove")) return true;
    if (says("rm") && hasOption(args, "f", "force")) return true;
    return says("down") && hasOption(args, "v", "volumes", "rmi");
  }
  if (name === "gh" || name === "glab")
    return (
      says("delete") ||
      words.some((word) => word.toUpperCase() === "DELETE") ||
      args.some((arg) => /^(-X|--method=)DELETE$/i.test(arg))
    );
  return /^(npm|yarn|pnpm|cargo|gem)$/.test(name) && says("unpublish", "yank", "deprecate");
}

function publishes({ name, args }: InspectedInvocation): boolean {
  const words = operands(args);
  const [first = "", second = ""] = words;
  if (/^(npm|pnpm|yarn|cargo|poetry|uv|flit|hatch|lerna|vsce|ovsx)$/.test(name))
    return first === "publish" || (first === "npm" && second === "publish");
  if (/^(twine|gem|dotnet|nuget|pod|mvn|gradle|gradlew)$/.test(name))
    return words.some((word) => /^(upload|push|publish|deploy|trunk)$/.test(word));
  if (/^(docker|podman|helm)$/.test(name)) return first === "push" || second === "push";
  if (name === "gh" || name === "glab")
    return (
      /^(create|merge|close|edit|comment|review|upload|set|sync|transfer|fork|run|rerun|cancel|approve|archive|rename)$/.test(
        second,
      ) || first === "api"
    );
  if (/^(terraform|tofu|pulumi|cdk)$/.test(name)) return /^(apply|up|deploy|import)$/.test(first);
  if (/^(kubectl|oc)$/.test(name))
    return /^(apply|create|edit|patch|scale|rollout|set|exec|cp|run|expose|label|annotate|cordon|taint)$/.test(
      first,
    );
  if (name === "helm") return /^(install|upgrade|rollback)$/.test(first);
  return (
    /^(vercel|netlify|fly|flyctl|heroku|firebase|wrangler|serverless|sls|gcloud|surge|ansible|ansible-playbook)$/.test(
      name,
    ) &&
    (words.length === 0 || /deploy|publish|push|up|release|playbook/.test([name, ...words].join(" ")))
  );
}
