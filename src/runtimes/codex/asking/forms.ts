import type { Answers, Form } from "../../../core/asking.ts";
import type { Json } from "../../../core/json.ts";
import { type Fields, fieldsOf, idIn, listOf, textIn } from "../wire/fields.ts";

/** The form that an MCP server wants to have filled in. */
export function elicitedForm(params: Fields): Form {
  const server = textIn(params, "serverName") ?? "unknown";
  const fields = Object.entries(propertiesOf(params)).map(([name, schema]) =>
    formField(name, fieldsOf(schema)),
  );
  return { title: `${server}: ${textIn(params, "message") ?? ""}`, fields };
}

/** People type words; the form may want numbers and flags. */
export function elicitedContent(params: Fields, given: Answers): Record<string, Json> {
  const properties = propertiesOf(params);
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const type = fieldsOf(properties[name])["type"];
      if (type === "boolean") return [name, /^(y|yes|true|1)$/i.test(text.trim())];
      return [name, type === "number" || type === "integer" ? Number(text) : text];
    }),
  );
}

/** Questions of the agent itself. */
export function questionForm(params: Fields): Form {
  const fields = listOf(params["questions"])
    .map(fieldsOf)
    .map((question) => ({
      name: idIn(question, "id") ?? "",
      label: textIn(question, "question") ?? textIn(question, "header") ?? "",
      options: listOf(question["options"]).flatMap((option) => textIn(fieldsOf(option), "label") ?? []),
    }));
  return { title: "The agent asks", fields };
}

export const questionAnswers = (given: Answers): object => ({
  answers: Object.fromEntries(Object.entries(given).map(([name, text]) => [name, { answers: [text] }])),
});

const propertiesOf = (params: Fields): Fields => fieldsOf(fieldsOf(params["requestedSchema"])["properties"]);

function formField(name: string, schema: Fields): Form["fields"][number] {
  const options = listOf(schema["enum"]).map(String);
  const label = textIn(schema, "title") ?? textIn(schema, "description") ?? name;
  return { name, label, ...(options.length === 0 ? {} : { options }) };
}
