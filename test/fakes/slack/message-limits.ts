import type { Block } from "./world.ts";

/** Why Slack would not take a message like this, or nothing. */
export function whyRefused(text: string, blocks: readonly Block[]): string | undefined {
  if (text === "" && blocks.length === 0) return "no_text";
  if (blocks.length > 50 || blocks.some((block) => !isTakenBlock(block))) return "invalid_blocks";
  const ids = blocks.flatMap(({ block_id }) => block_id ?? []);
  if (new Set(ids).size !== ids.length) return "invalid_blocks";
  return JSON.stringify(blocks).length > 13_200 ? "msg_blocks_too_long" : undefined;
}

/** Longer texts are cut by Slack when they are posted. */
export const asPosted = (text: string): string =>
  text.length > 40_000 ? [...text].slice(0, 40_000).join("") : text;

/** An edit is refused instead, from far fewer on, and Slack counts bytes there. */
export const isTooLongForEdit = (text: string): boolean => Buffer.byteLength(text) > 4000;

function isTakenBlock(block: Block): boolean {
  if (block.type === "section") {
    const length = [...(block.text?.text ?? "")].length;
    return length >= 1 && length <= 3000;
  }
  if (block.type !== "actions") return false;
  const buttons = block.elements ?? [];
  const names = new Set(buttons.map(({ action_id }) => action_id));
  return (
    buttons.length >= 1 &&
    buttons.length <= 25 &&
    names.size === buttons.length &&
    buttons.every(isTakenButton)
  );
}

function isTakenButton(button: NonNullable<Block["elements"]>[number]): boolean {
  const label = [...button.text.text].length;
  return (
    button.type === "button" &&
    label >= 1 &&
    label <= 75 &&
    (button.value ?? "").length <= 2000 &&
    button.action_id.length <= 255
  );
}
