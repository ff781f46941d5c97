import { type PeopleWorld, places } from "./world.ts";

/** Does it while the owner says no to whatever they are asked. */
export async function attended<T>(world: PeopleWorld, act: (world: PeopleWorld) => Promise<T>): Promise<T> {
  const { app } = world;
  const over = Promise.withResolvers<"over">();
  const answered = new Set<string>();
  const denials = (): readonly string[] =>
    app
      .shown("c1")
      .flatMap(({ buttons }) => buttons.flatMap(({ data }) => (/^a:.*:deny$/.test(data) ? [data] : [])));
  const fresh = (): string | undefined => denials().find((data) => !answered.has(data));
  const refuse = async (): Promise<void> => {
    while ((await Promise.race([over.promise, app.shows("c1", () => fresh() !== undefined)])) !== "over") {
      const data = fresh() ?? "";
      answered.add(data);
      await world.press("owner", places.direct("owner"), data);
    }
  };
  for (const old of denials()) answered.add(old);
  const refusing = refuse();
  try {
    return await act(world);
  } finally {
    over.resolve("over");
    await refusing;
  }
}
