import type { Run } from "../command.ts";

/** Only who reads the chat can say whether it arrived. */
export const resend: Run = async (arg, _call, client) => {
  if (!/^obx_\w+$/.test(arg)) return { text: "/resend takes the id of a message of mine, such as obx_0mb…" };
  await client.call("gateway.resend", { id: arg });
  return { text: "It is sent again." };
};
