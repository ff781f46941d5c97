import { tokensOf } from "./words.ts";

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/**
 * Words that reverse the meaning of their surroundings without a negation: judgements, conditions, what is only imagined
 * or over, what is meant as a joke.
 */
const reversals: ReadonlySet<string> = new Set([
  ...list(`wrong bad worse worst terrible awful horrible stupid dumb idiotic crazy insane dangerous harmful illegal
    unacceptable forbidden prohibited banned taboo mistake error nonsense rubbish nightmare disaster shame false untrue
    lie myth refuse refuses hate hates against if unless except provided imagine pretend pretends suppose supposedly
    allegedly rather than kidding joke joking jk lol haha hahaha sarcasm irony quit`),
  ...list(`falsch schlecht schlimm furchtbar dumm blöd verrückt gefährlich schädlich verboten untersagt inakzeptabel
    fehler unsinn quatsch katastrophe gelogen weigere weigern hasse gegen wenn falls sofern außer ausser angeblich früher
    spaß scherz witz ironie`),
  ...list(`mal mauvais mauvaise faux fausse stupide idiot idiote dangereux dangereuse interdit interdite inacceptable
    erreur bêtise contre déteste refuse si sauf selon autrefois blague rigole plaisante`),
  ...list(`mala malo peor incorrecto peligroso peligrosa prohibido prohibida inaceptable tontería mentira contra odio
    rechazo salvo excepto según supuestamente solía broma ironía`),
  ...list(`плохо плохая неправильно глупо глупость опасно вредно запрещено запрещаю недопустимо неприемлемо ошибка
    ошибкой ненавижу против ложь неправда если кроме якобы будто раньше бы шутка шучу ирония`),
]);

/** Reversals of several words, in scripts without spaces, and reports of what somebody else says. */
let phrases: RegExp | undefined;
const phrasePattern = (): RegExp =>
  (phrases ??= new RegExp(
    [
      "(?<!\\p{L})(?:as if|as though|used to|scratch that|strike that|yeah right|according to|als ob|stell dir vor|tu so|es sei denn|comme si|à moins|à condition|como si|a menos|как будто)(?!\\p{L})",
      "(?<!\\p{L})(?:would|würde|könnte)(?! (?:like|love|prefer|you|gern|lieber))(?!\\p{L})",
      "(?<!(?<!\\p{L})i )(?<!\\p{L})(?:says?|said|wrote|writes|told|claims?|claimed|thinks|believes|suggests?|suggested|recommends?|insists?|wants (?:us|me|you))(?!\\p{L})",
      "(?<!(?<!\\p{L})ich )(?<!\\p{L})(?:sagt|sagten?|meint|meinte|behauptet|schreibt|schrieb|findet|glaubt|laut)(?!\\p{L})",
      "(?<!\\p{L})(?:dit|disent|prétend|prétendent|pense|dice|dicen|dijo|cree|говорит|говорят|сказал[аи]?|считает|думает)(?!\\p{L})",
      "(?<!我)(?:说|认为|觉得|声称)|据说|听说|除非|如果|要是|除了|假装|好像|以前|开玩笑|才怪",
      "错|坏|糟|愚蠢|危险|禁|反对|讨厌|拒绝|避免|停止|杜绝|胡说|假",
      "(?<=\\s|^)/s(?!\\S)|[\u{1F609}\u{1F643}\u{1F921}\u{1F61C}\u{1F92A}\u{1F644}\u{1F602}\u{1F923}\u{1F6AB}\u{274C}\u{26D4}\u{1F44E}]|;-?\\)(?=\\s|$)|\\^\\^",
    ].join("|"),
    "gu",
  ));

/** The reversals in a folded text. */
export const reversalsIn = (text: string): readonly string[] => [
  ...tokensOf(text).filter((token) => reversals.has(token)),
  ...[...text.matchAll(phrasePattern())].map(([found]) => found),
];

export const isReversal = (word: string): boolean => reversals.has(word);

/** May be left out at the beginning or the end of a clause: its meaning stays the same. */
export const harmless: ReadonlySet<string> = new Set([
  ...list(`now on always usually generally normally just simply really actually today first still ever anyway course fine
    sure make keep mind need needs needed well everything everywhere future write give i'm i've i'd i'll we're we've
    we'll you're they're me too please kindly think believe opinion fyi btw rule rules habit
    habits style conventions preferences skill`),
  ...list(`immer einfach schreib schreibe gib gebe an ab mal doch eigentlich jetzt künftig zukünftig generell
    grundsätzlich glaube finde gern gerne hier dann brauche bitte regel regeln
    gewohnheiten stil`),
  ...list(`toujours maintenant désormais vraiment simplement merci siempre ahora realmente simplemente gracias favor
    adelante всегда теперь просто впредь обычно règles reglas правила`),
  ...list(`总是 一直 今后 以后 一般 通常 绝 决 从 绝对 千万 永远 规则 规矩`),
]);
