const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** Words that say nothing by themselves, and those with which a note about somebody is framed. */
export const stopWords: ReadonlySet<string> = new Set([
  ...list(`a an the and or of to in on at by for with from as is are was were be been being am it its this that these
    those there here i me my mine we us our you your he him his she her they them their who whom whose which what
    will would can could may might shall should must do does did doing done have has had having so such than then too
    very also just about into again if when while where how each some own s t re ve ll d m let lets please thanks thank hi hello okay ok yes like want wants`),
  ...list(`user users person owner human prefers prefer preferred preference likes liked wanted wish wishes uses use used
    using said says say told tell tells asked ask asks remember remembers note noted name named names called call
    should expects expect project memory`),
  ...list(`der die das den dem des ein eine einen einem einer eines und oder aber von zu zum zur im in an am auf bei mit
    fuer für aus nach ueber über unter vor ist sind war waren sein seine seinen seiner ihr ihre ihren ihm ihn er sie es
    wir uns unser ich mich mir mein meine meinen du dich dir dein deine sich als wie wenn wann wo was wer so auch nur
    noch schon sehr bitte danke hallo ja hat haben habe hatte wird werden wurde kann soll sollte muss will möchte mag
    nutzer benutzer nutzerin person bevorzugt bevorzuge benutzt benutze nutzt nutze verwendet verwende heißt heisst
    namens sagt sagte`),
  ...list(`и или а но в во на с со к ко у о об от до из за по для это этот эта эти тот та те я мне меня мой моя мои мы
    нас наш он она они его ее её их ему ей им ты вы тебя вас как что кто где когда если то же ли бы есть был была были
    быть пожалуйста спасибо да пользователь предпочитает предпочитаю хочет хочу любит люблю использует использую зовут
    просит`),
  ...list(`le la les un une des du de et ou à au aux en dans sur pour par avec est sont je tu il elle nous vous ils
    mon ma mes son sa ses ce cette que qui utilisateur préfère préfere aime el los las una y o con por para es son mi
    su sus usuario prefiere`),
]);

/** In scripts without spaces: where a run of characters is cut, longest first. */
export const cutWords: readonly string[] =
  list(`用户 使用者 喜欢 偏好 希望 想要 使用 应该 名字 叫做 请 我 你 您 他 她 它 们
  的 了 是 在 用 和 与 也 都 会 要 这 那 让 把 对 就 很 給 给 ユーザー です ます する した して ください 私 僕 好き 好む 使う 使い
  使って という は を が に で の と も へ や 사용자는 사용자 나는 저는 좋아합니다 사용합니다`).toSorted(
    (a, b) => b.length - a.length,
  );

/** Words that negate a sentence. */
export const negations: ReadonlySet<string> = new Set(
  list(`not no never none nothing without off less fewer don't dont doesn't doesnt isn't isnt can't cant won't wont cannot avoid avoids
    dislike dislikes hate hates stop stops instead neither nor didn't shouldn't mustn't unless except forbid forbids
    forbidden nicht kein keine keinen keinem keiner nie niemals ohne nein statt vermeide vermeidet hasst weniger не нет никогда
    без нельзя ни против ненавидит меньше вместо pas jamais sans aucun moins nunca jamás sin ningún menos
    nobody noone nowhere hardly rarely seldom scarcely barely niemand nichts kaum selten personne rien nadie nada ninguna
    ninguno tampoco ni никто ничего нигде едва não non`),
);

/** What follows these cannot be swapped: `tabs over spaces` is not `spaces over tabs`. */
export const orderingWords: ReadonlySet<string> = new Set(
  list(`over under than before after until from rather als bevor nachdem vor nach bis чем до после перед avant après antes
    después`),
);

/** These may stand between such a word and what it refers to. */
export const smallWords: ReadonlySet<string> = new Set(
  list(`a an the my your our their his her its this that these those i you we they he she it der die das den dem des ein
    eine einen einem einer ich du er sie wir mein meine le la les un une el los las una`),
);

export const negationMarks = /[不没別别勿無无未非]|ない|ません|ずに|안 |않|없|말고/u;
