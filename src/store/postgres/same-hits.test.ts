import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { withoutPostgres } from "../../../test/postgres.ts";
import { tempFolder } from "../../../test/temp-folder.ts";
import { openTestStore } from "../../../test/sqlite-store.ts";
import type { Store } from "../store.ts";
import { say, startTurn } from "../suite/world.suite.ts";
import { openPostgres } from "./world.suite.ts";

const corpus = [
  "The quick brown fox jumps over the lazy dog.",
  "quick-brown foxes, QUICK brown; Fox/dog",
  "A café in Málaga: cafe, CAFÉ, cafés and Ångström",
  "naïve coöperation, façade, jalapeño, Zoë, Dvořák, Łódź, Việt Nam, ệ",
  "Straße, STRASSE, strasse, Größe, ÄRGER, ärger",
  "Ελλάδα ΕΛΛΑΔΑ Ὀδυσσεύς λόγος ΛΟΓΟΣ",
  "Ёлка елка й и замок за\u0301мок Киев КИЕВ",
  "src/store/open-store.ts:42 throws TypeError: x is undefined",
  "foo_bar fooBar foo-bar foo.bar foo::bar foo",
  "version 1.2.3 and v1.2.30, 10% of 100, $5.00, a+b=c, C++ and C#",
  "https://example.com/a/b?c=d&e=f#g user@example.com",
  "it's the dog's, don't; “quoted” words «here»",
  "検索エンジンの検索結果",
  "日本語テキスト 検索 東京都 京都",
  "全文検索は便利です。ひらがな カタカナ",
  "中文搜索 北京大学 大学生 北京",
  "한국어 검색 한국 검색엔진",
  "ภาษาไทย ค้นหา ข้อความ",
  "emoji 😀 and 👩‍👩‍👧 family, ☃ snow, → arrow",
  "a % b_c \\ d 100% under_score back\\slash",
  "SELECT * FROM message WHERE content LIKE '%x%'; DROP TABLE session; --",
  "AND OR NOT NEAR and or not near",
  "x² + y² = ½ of Ⅷ, ① ② ③, H₂O",
  "(parens) [brackets] {braces} <tags> \"quotes\" 'single' `code`",
  "one\ntwo\tthree\r\nfour  five",
  "needle in a haystack of hay hay hay",
  "needles and pins, pinned needle-point",
  "supercalifragilisticexpialidocious",
  "the of and a to in is you that it",
  "12345 67890 0x1F 3.14159 1e10",
  "हिन्दी खोज शब्द",
  "עברית חיפוש מילים",
  "العربية بحث كلمات",
  "ǅ ǆ Ǆ ﬁre ﬂow fire",
  "tab\u00a0nbsp zero\u200bwidth soft\u00adhyphen",
  "END",
];

const words =
  `the quick brown fox foxes jumps dog dogs lazy cafe café CAFÉ cafés malaga Málaga angstrom Ångström naive naïve
  cooperation facade façade jalapeno zoe Zoë dvorak łódź Łódź lodz viet Việt straße strasse STRASSE größe grosse ärger arger
  Ελλάδα ελλάδα ελλαδα ΕΛΛΑΔΑ λόγος ΛΟΓΟΣ λογος ёлка елка й и замок киев КИЕВ src store open ts 42 TypeError undefined foo bar
  fooBar foobar foo_bar version 1 2 3 30 v1 10 100 5 00 a b c C e https example com user it s dog don t quoted words here emoji
  family snow arrow under score back slash select from message where content like x drop table session and or not near x² y² ½
  Ⅷ ① ③ h₂o parens brackets braces tags quotes single code one two three four five needle needles haystack hay pins point
  supercalifragilisticexpialidocious 12345 67890 0x1f 3 14159 1e10 हिन्दी खोज עברית חיפוש العربية بحث ǆ fire ﬁre nbsp zero
  width hyphen END end`.split(/\s+/u);
const phrases =
  `quick brown|brown fox|fox brown|lazy dog|the lazy dog|café in málaga|open-store.ts:42|src/store|foo bar|foo-bar|
  foo.bar|foo::bar|1.2.3|1.2|v1.2.30|a+b=c|example.com|user@example.com|it's|dog's|don't|quick brown fo|hay hay|hay hay hay|
  in a haystack|needle point|and or|OR NOT|drop table session|x² y²|one two|two three|four five|zero width|soft hyphen|
  за́мок|за́мок киев|日本語 検索|3.14159|c#|C++|LIKE '%x%'`
    .split("|")
    .map((phrase) => `"${phrase.trim()}"`);
const prefixes =
  `q* qu* fo* foo* caf* café* ca* mál* str* stra* grö* ελλ* λό* ё* за* зам* 1* 12* 123* v* ex* exam* need* needl*
  pin* hay* su* super* x* ½* t* th* d* do* s* sel* e* 検* 検索* 北* 한* "quick br"* "open st"* "foo b"* "hay h"* "1.2."*`.split(
    /\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/u,
  );
const parts =
  `uick rown ump azy afé afe alag ngstr aïve aive oöper acad lape vořák vorak ódź odz iệt iet traß tras röß rös rges
  λλά ογο лка мок ndefin peErr oBa fooB ample xampl aystac eedl ragilis alifrag expiali 2345 789 x1F 141 LEC essio erBac ackl
  rack races uote ing* aggl zzz qqq ﬁr ﬂo mo em ☃ 😀 → % _ \\\\ %% __ a% b_ ' ; -- // :: ++ C+ #g ?c = & « » “ ” … . , ! ()
  [b] {b <t \`c $5 $ + * ** "" "*" ² ½ ① ₂`.split(/\s+/u);
const unspaced =
  `検索 索エ エンジン 検索エンジン 検 結果 日本 日本語 本語 東京 京都 東京都 全文 全文検索 便利です ひらがな らが カタカナ
  タカ 中文 搜索 北京 大学 大学生 北京大学 京大 한국 한국어 검색 검색엔진 색엔 ไทย ภาษา ค้นหา ข้อ คำ 検索 東京 検索 fox|検索 NOT 京都|
  検索 OR needle|"検索 結果"|"中文 搜索"|北京 大学|東京 OR 北京`.split(/[\s|]+/u);
const mixed = [
  "quick NOT lazy",
  "quick OR needle",
  "fox dog",
  "needle NOT pins",
  "foo NOT bar",
  "the NOT quick NOT it",
  "cafe OR straße",
  "検索 fox",
  "検索 NOT 京都",
  "検索 OR needle",
  '"検索 結果"',
  "北京 大学",
  "東京 OR 北京",
  "quick brown NOT foxes",
  "a b c",
  "AND",
  "OR",
  "NOT",
  "NOT fox",
  "OR fox",
  "fox OR",
  "fox AND dog",
  "fox NOT",
  '"',
  '""',
  '"fox',
  'fox"',
  "*",
  "fo*x",
  "^fox",
  "fox:dog",
  "content:fox",
  "{fox}",
  "(fox OR dog)",
  "fox + dog",
  "NEAR(fox dog)",
  "-fox",
  "'fox'",
  "fox;",
  "fox' or 1=1 --",
  "\u0000",
  "\ud800",
  "fox\u0000",
  "%fox%",
  "_ox",
  "\\",
  "fox\\",
  "'::tsquery",
  "fox & dog",
  "fox | dog",
  "!fox",
  "fo:*",
  "<->",
  "x".repeat(300),
  "needle ".repeat(50),
  "hay hay hay hay",
  "ÉCAFÉ",
  "cafe\u0301",
  "Ca\u0301fe",
  "\u0301",
  "fox\u0301",
  " ",
];

describe("search in PostgreSQL and SQLite", { skip: withoutPostgres() }, () => {
  test("the same list of queries finds the same messages in both, newest first", async () => {
    await using folder = await tempFolder();
    await using sqlite = await openTestStore(join(folder.path, "t.db"));
    await using opened = await openPostgres();
    const stores = [sqlite, opened.store];
    for (const store of stores) await say(store, await startTurn(store, "first words"), ...corpus);
    const queries = [...new Set([...words, ...phrases, ...prefixes, ...parts, ...unspaced, ...mixed])];
    assert.ok(queries.length >= 300, `${queries.length} queries`);
    const differing: string[] = [];
    let found = 0;
    for (const text of queries) {
      const [here, there] = await Promise.all(stores.map((store) => hits(store, text)));
      found += here?.length ?? 0;
      if (String(here) !== String(there))
        differing.push(`${text}: SQLite ${String(here)}, PostgreSQL ${String(there)}`);
    }
    assert.deepEqual(differing, []);
    assert.ok(found > queries.length, "most of them find something");
  });
});

/** Which of the messages, by the order in which they were said. */
async function hits(store: Store, text: string): Promise<readonly number[]> {
  const found = await store.search({ text, limit: 100, sort: "newest" });
  return found.map(({ seq }) => seq);
}
