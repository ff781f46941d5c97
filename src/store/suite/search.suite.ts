import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../../test/seeded.ts";
import type { SearchQuery } from "../../core/session.ts";
import type { Store } from "../store.ts";
import { anyText } from "./any-text.suite.ts";
import { type Open, item, said, say, startTurn } from "./world.suite.ts";

export function searchTests(open: Open): void {
  describe("search", () => {
    test("finds messages that have all words, whatever their order, case and accents", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store, "Das Café schließt um acht", { title: "Coffee" });
      await say(store, turn, "A cafe is a café is a CAFÉ", "acht Katzen", "nothing here");
      const [best, other, ...rest] = await store.search({ text: "cafe", limit: 10 });
      assert.equal(best?.snippet, "A «cafe» is a «café» is a «CAFÉ»");
      assert.equal(other?.snippet, "Das «Café» schließt um acht");
      assert.deepEqual(rest, []);
      const { seq } = (await store.sessions.messages(turn.session))[0]!;
      assert.equal(other?.title, "Coffee");
      assert.partialDeepStrictEqual(other, { session: turn.session, turn: turn.turn, seq, role: "user" });
      assert.deepEqual(await found(store, "acht CAFE"), ["Das «Café» schließt um «acht»"]);
      assert.deepEqual(await found(store, "acht cafe dogs"), []);
    });

    test("a phrase in quotes stays together; a lone quote is nothing", async () => {
      await using opened = await open();
      const { store } = opened;
      await say(store, await startTurn(store, "start"), "red green blue", "green red blue");
      assert.deepEqual(await found(store, '"red green"'), ["«red green» blue"]);
      assert.deepEqual(await found(store, "“green red”"), ["«green red» blue"]);
      assert.equal((await found(store, 'red "green')).length, 2);
    });

    test("a star at the end finds beginnings, OR alternatives, and NOT leaves out", async () => {
      await using opened = await open();
      const { store } = opened;
      await say(
        store,
        await startTurn(store, "start"),
        "configuration of rabbits",
        "configure hares",
        "a fig for foxes",
      );
      assert.equal((await found(store, "conf*")).length, 2);
      assert.deepEqual(await found(store, "conf* hares"), ["«configure» «hares»"]);
      assert.deepEqual(await found(store, "conf* NOT rabbits"), [
        "«configure» «hares»".replaceAll(/[«»](?=hares|$)/g, ""),
      ]);
      assert.deepEqual((await found(store, "rabbits OR foxes")).length, 2);
      assert.equal((await found(store, "rabbits AND foxes")).length, 0);
    });

    test("words joined by signs are found as they are written", async () => {
      await using opened = await open();
      const { store } = opened;
      await say(
        store,
        await startTurn(store, "start"),
        "see src/store/open-file.ts:12",
        "store the file, open it",
      );
      for (const typed of ["open-file.ts", "src/store", "open-file.ts:12", "(store/open)"]) {
        assert.equal((await found(store, typed)).length, 1, typed);
      }
    });

    test("parts of words are found when no word is", async () => {
      await using opened = await open();
      const { store } = opened;
      await say(store, await startTurn(store, "start"), "the frobnicator", "nicator nothing", "İstanbul");
      assert.deepEqual(await found(store, "bnicat"), ["the fro«bnicat»or"]);
      assert.deepEqual(await found(store, "nicator"), ["«nicator» nothing"], "a word is better than a part");
      assert.deepEqual(await found(store, "bn"), ["the fro«bn»icator"]);
      assert.deepEqual(await found(store, "bnicat fr"), ["the «fr»o«bnicat»or"]);
      assert.deepEqual(await found(store, "bnicat zz"), []);
    });

    test("scripts without spaces are searched by parts of any length", async () => {
      await using opened = await open();
      const { store } = opened;
      const lines = ["今日は日本語の検索を試します", "東京タワー", "한국어를 검색합니다", "ภาษาไทยไม่เว้นวรรค"];
      await say(store, await startTurn(store, "start"), ...lines);
      assert.deepEqual(await found(store, "検"), ["今日は日本語の«検»索を試します"]);
      assert.deepEqual(await found(store, "検索"), ["今日は日本語の«検索»を試します"]);
      assert.deepEqual(await found(store, "日本語"), ["今日は«日本語»の検索を試します"]);
      assert.deepEqual(await found(store, "日本語の検索"), ["今日は«日本語の検索»を試します"]);
      assert.deepEqual(await found(store, "日本語 試"), ["今日は«日本語»の検索を«試»します"]);
      assert.deepEqual(await found(store, "東京 OR 한국어"), ["«한국어»를 검색합니다", "«東京»タワー"]);
      assert.deepEqual(await found(store, "검색"), ["한국어를 «검색»합니다"]);
      assert.deepEqual(await found(store, "ไทย"), ["ภาษา«ไทย»ไม่เว้นวรรค"]);
      await say(store, await startTurn(store, "start"), "検索");
      assert.equal((await found(store, "検索")).length, 2, "alone and inside a sentence");
      assert.deepEqual(await found(store, "日曜日"), []);
      assert.deepEqual(await found(store, "猫"), []);
    });

    test("signs and pictures are found in the text itself", async () => {
      await using opened = await open();
      const { store } = opened;
      await say(store, await startTurn(store, "start"), "released 🎉 today", "a % b_c \\ d", "100 percent");
      assert.deepEqual(await found(store, "🎉"), ["released «🎉» today"]);
      assert.deepEqual(await found(store, "%"), ["a «%» b_c \\ d"]);
      assert.deepEqual(await found(store, "\\"), ["a % b_c «\\» d"]);
      assert.deepEqual(await found(store, "_"), ["a % b«_»c \\ d"]);
    });

    test("filters choose among all matches, not among the best few", async () => {
      await using opened = await open();
      const { store } = opened;
      const crowd = await startTurn(store, "needle");
      await say(store, crowd, ...Array.from({ length: 60 }, () => "needle"));
      const other = await startTurn(
        store,
        "somewhere in a long text there is a needle too, hidden among other words",
      );
      const { lease, turn } = other;
      const output = `${"hay ".repeat(50)} needle`;
      const rows = [{ role: "tool" as const, toolCallId: "c", content: output }];
      await store.turns.keep(lease, turn, { ...said("t"), id: item("t") }, rows, 1);
      const places = async (query: Omit<SearchQuery, "text" | "limit">) =>
        (await store.search({ text: "needle", limit: 3, ...query })).map(({ session, role }) => [
          session,
          role,
        ]);
      assert.deepEqual(await places({ roles: ["tool"] }), [[other.session, "tool"]]);
      assert.deepEqual(await places({ roles: [] }), []);
      assert.deepEqual(await places({ session: other.session }), [
        [other.session, "user"],
        [other.session, "tool"],
      ]);
      assert.deepEqual(await places({ excludeSession: crowd.session, roles: ["user"] }), [
        [other.session, "user"],
      ]);
      const begun = await startTurn(store, "needle", { parent: crowd.session });
      assert.deepEqual(await places({ excludeSession: crowd.session, roles: ["user"] }), [
        [other.session, "user"],
      ]);
      assert.deepEqual(await places({ session: begun.session }), [[begun.session, "user"]]);
      assert.equal((await places({})).length, 3);
      const both = { session: other.session, excludeSession: other.session };
      assert.deepEqual(await places(both), []);
      const cjk = await startTurn(store, "検索");
      await startTurn(store, "検索検索");
      const inOne = await store.search({ text: "検索", limit: 3, session: cjk.session, roles: ["user"] });
      assert.deepEqual(
        inOne.map(({ session }) => session),
        [cjk.session],
      );
    });

    test("hits come best first, or in the order of time", async () => {
      await using opened = await open();
      const { store } = opened;
      const turn = await startTurn(store, "one fish among many other words that make it less of a match");
      await say(store, turn, "fish fish", "two fish in a middling line of words");
      const order = async (sort?: SearchQuery["sort"]) =>
        (await store.search({ text: "fish", limit: 10, ...(sort && { sort }) })).map(
          ({ snippet }) => snippet[0],
        );
      assert.deepEqual(await order(), ["«", "t", "o"]);
      assert.deepEqual(await order("best"), ["«", "t", "o"]);
      assert.deepEqual(await order("newest"), ["t", "«", "o"]);
      assert.deepEqual(await order("oldest"), ["o", "«", "t"]);
      const [newest] = await store.search({ text: "fi", limit: 1 });
      assert.equal(newest?.snippet.startsWith("two"), true, "without a rank the newest is best");
      const [oldest] = await store.search({ text: "fi", limit: 1, sort: "oldest" });
      assert.equal(oldest?.snippet.startsWith("one"), true);
    });

    test("a snippet is one line of about two hundred characters around the first hit", async () => {
      await using opened = await open();
      const { store } = opened;
      const filler = "lorem ipsum dolor\n\tsit amet ".repeat(400);
      const turn = await startTurn(store, `${filler}xylophone ${filler}`);
      await say(
        store,
        turn,
        `${"長".repeat(500)}検索語${"長".repeat(500)}`,
        `${"a".repeat(5000)} zebra`,
        `${"🎉".repeat(300)}q!q${"🎉".repeat(300)}`,
      );
      for (const typed of ["xylophone", "xyloph", "検索語", "検索", "zebra", "!q", "aaaa*"]) {
        const [hit] = await store.search({ text: typed, limit: 1 });
        assert.ok(hit, typed);
        assert.ok(hit.snippet.length <= 210, `${typed}: ${hit.snippet.length}`);
        assert.match(hit.snippet, /^[^«»\n\t]*«[^»]+»/u, typed);
        assert.ok(hit.snippet.isWellFormed(), typed);
        assert.equal(hit.snippet.split("«").length, hit.snippet.split("»").length, typed);
      }
    });

    test("whatever is typed, search answers", async () => {
      await using opened = await open();
      const { store } = opened;
      await say(
        store,
        await startTurn(store, "and or not near"),
        'a "b" (c) d:e f* ^g -h +i {j} 漢字 🎉',
        "x".repeat(100),
      );
      const fixed = [
        "",
        " ",
        '"',
        '""',
        '"""',
        "*",
        "a*b*",
        "AND",
        "OR",
        "NOT",
        "NOT a",
        "a AND",
        "OR b",
        "a OR",
        "a NOT",
        "NEAR(a b)",
        "(",
        ")",
        "a:b",
        "content:a",
        "-a",
        "^a",
        "{a b}:c",
        "'",
        "\\",
        "%",
        "\0",
        "a\0b",
        "\ud800",
        '"a',
        'a"b',
        "a + b",
        "a".repeat(5000),
        "a ".repeat(5000),
        "漢".repeat(300),
        "-",
        "[a",
        "\\d",
        "\u0301\u0301\u0301",
        "🎉🎉🎉",
      ];
      const odd = fc.array(fc.constantFrom(...fixed, "a", "漢", "字", " ", '"', "*", "(", "x"), {
        maxLength: 8,
      });
      const typed = fc.oneof(
        anyText,
        odd.map((parts) => parts.join("")),
        odd.map((parts) => parts.join(" ")),
      );
      const sort = fc.constantFrom("best" as const, "newest" as const, "oldest" as const);
      await fc.assert(
        fc.asyncProperty(typed, fc.integer({ min: 0, max: 3 }), sort, async (text, limit, order) => {
          const hits = await store.search({ text, limit, sort: order });
          assert.ok(hits.length <= limit);
          for (const { snippet } of hits) assert.match(snippet, /«[^»]/u);
        }),
        { numRuns: 500, examples: fixed.map((text) => [text, 3, "best"]) },
      );
    });

    test("finds exactly the messages that have the words", async () => {
      await using opened = await open();
      const { store } = opened;
      const words = ["alpha", "beta", "gamma", "delta", "omega"];
      const texts = Array.from({ length: 32 }, (_, n) =>
        words.filter((_word, bit) => (n >> bit) & 1).join(" "),
      );
      const turn = await startTurn(store, "start");
      await say(store, turn, ...texts);
      const wanted = fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 });
      await fc.assert(
        fc.asyncProperty(wanted, fc.array(fc.constantFrom(...words), { maxLength: 2 }), async (all, none) => {
          const query = [...all, ...none.map((word) => `NOT ${word}`)].join(" ");
          const hits = await store.search({ text: query, limit: 100, sort: "oldest" });
          const plain = hits.map(({ snippet }) => snippet.replaceAll(/[«»]/g, ""));
          const expected = texts.filter(
            (line) => all.every((word) => line.includes(word)) && !none.some((word) => line.includes(word)),
          );
          assert.deepEqual(plain, expected);
        }),
        { numRuns: 60 },
      );
    });
  });
}

const found = async (store: Store, typed: string): Promise<readonly string[]> =>
  (await store.search({ text: typed, limit: 10 })).map(({ snippet }) => snippet);
