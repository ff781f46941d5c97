import type { z } from "zod";

export type FirstIssue = { readonly path: readonly PropertyKey[]; readonly message: string };

/** What is wrong with a value: where it may have several forms, what is wrong with the one that it comes closest to. */
export function closestIssue(issue: z.core.$ZodIssue): FirstIssue {
  if (issue.code !== "invalid_union") return issue;
  const firsts = issue.errors.flatMap(([first]) => first ?? []);
  const inside = firsts.find(({ path }) => path.length > 0);
  if (inside !== undefined) {
    const { path, message } = closestIssue(inside);
    return { path: [...issue.path, ...path], message };
  }
  const expected = firsts.flatMap((each) => {
    if (each.code === "invalid_type") return [each.expected];
    return each.code === "invalid_value" ? each.values.map((value) => JSON.stringify(value)) : [];
  });
  return { path: issue.path, message: `Invalid input: expected ${expected.join(" or ")}` };
}
