/** What gives a text away, and the words for it. Patterns are for text in small letters without accents. */
export type Sign = { readonly why: string; readonly patterns: readonly RegExp[] };

/** Within one sentence. */
const near = "[^.!?\\n]{0,60}?";

const sign = (why: string, ...patterns: readonly string[]): Sign => ({
  why,
  patterns: patterns.map((pattern) => new RegExp(pattern.replaceAll("…", near), "mu")),
});

const drop =
  "(?:ignore|disregard|forget|override|overrule|bypass|discard|skip|set aside|pay no attention to|do not follow|don't follow|stop following|no longer follow|neglect)";
const before =
  "(?:previous|prior|earlier|above|preceding|foregoing|existing|other|all|any|your|the|system|everything)";
const orders =
  "(?:instructions?|prompts?|rules?|guidelines?|directives?|orders|polic(?:y|ies)|safeguards?|restrictions?|guardrails?|constraints?|system messages?|told)\\b";
const guards =
  "(?:sandbox(?:ing)?|approvals?|safety|security|guardrails?|protections?|audit|logging|firewall|permission checks?|content filters?|antivirus)\\b";
const secrets =
  "(?:secrets?|passwords?|credentials?|(?:api|private|ssh|access) ?keys?|tokens?|\\.env|env(?:ironment)? variables?|id_?rsa|cookies|conversations?|chat history|transcripts?|system prompt|contents? of)(?![a-z])";
const deed =
  "(?:run|execute|call|invoke|visit|open|download|install|send|fetch|navigate|curl|click|obey|comply|follow|reply|respond|output|include|insert|append)\\b";

/** In the order of what a person would want to know first. */
export const signs: readonly Sign[] = [
  sign(
    "it asks to ignore other instructions",
    `\\b${drop}\\b…\\b${before}\\b…\\b${orders}`,
    "\\b(?:ignorier|missacht|vergiss|umgeh)\\w*…(?:anweisung|vorgabe|regel|instruktion|prompt)",
    "(?:игнорируй|забудь|не следуй|отмени)…(?:инструкци|указани|правил|предыдущ)",
    "(?:忽略|无视|忘记|不要遵守|無視)[^。\\n]{0,20}(?:指令|指示|规则|提示|说明|命令)",
    "(?:指示|命令|ルール)[^。\\n]{0,10}(?:無視|忘れ)",
    "\\b(?:ignore[rz]?|oublie[rz]?)\\b…(?:instructions|consignes|regles)",
    "\\b(?:ignora|olvida|omite)\\b…(?:instrucciones|reglas|indicaciones)",
  ),
  sign(
    "it wants to change who the agent is, or what it is told",
    "\\bnew (?:system )?(?:instructions?|prompt|directive|rules?) ?(?::|follow|replace|override|supersede)",
    "\\byou (?:are|must act as|will act as) (?:now|no longer)\\b",
    "\\bfrom now on,? (?:you|act|respond|behave)",
    "\\bact as (?:if you|an? (?:unrestricted|unfiltered|admin|root))",
    "\\bpretend (?:to be|you are|that you)",
    "\\b(?:developer|god|dan) mode\\b|\\bjailbr",
    "\\bdu bist (?:jetzt|ab jetzt)\\b|\\bab sofort (?:bist|musst) du\\b",
    "теперь ты |отныне ты ",
    "你现在是|从现在开始你|今からあなたは",
  ),
  sign(
    "it has marks in it that a model takes for somebody else speaking",
    "\\b(?:system|assistant|developer) ?(?:prompt|message|override) ?:",
    "^ ?(?:system|assistant|developer|human|user) ?:",
    "<\\/?(?:system|assistant|user|developer|instructions?|memory|important|admin|secret)\\b[^>]{0,80}>",
    "<\\/?(?:tool|function)_?(?:call|result|response)s?\\b[^>]{0,80}>",
    "\\[\\/?(?:inst|system|sys)\\]|<<\\/?sys>>|<\\|[a-z_ ]{2,30}\\|>",
    "^#{1,6} ?(?:system|instructions?|new task|override)\\b",
    "\\bbegin (?:system|hidden|secret) ",
  ),
  sign("it has marks in it that end or begin a block", "^ ?(?:`{3,}|~{3,}|-{5,} ?(?:begin|end)\\b|={5,}|§)"),
  sign(
    "it wants things to happen without being asked about",
    "\\b(?:always|automatically|auto-?|silently|blindly)[ -]?(?:approve|accept|allow|confirm|grant|say yes|permit|run|execute|trust)\\b",
    "\\bapprove (?:all|every|any(?:thing)?)\\b",
    "\\b(?:never|do not|don't|without) (?:ever )?(?:ask|prompt|wait)(?:ing)?\\b…\\b(?:permission|approv|confirmation|consent|before (?:running|deleting|executing|sending|push))",
    "\\b(?:immer|automatisch|stets)\\b…(?:genehmig|freigeb|zustimm|bestatig)",
    "\\bohne\\b…(?:zu fragen|nachfrage|ruckfrage|genehmigung|freigabe)",
    "(?:всегда|автоматически)…(?:одобря|подтвержда|разреша)",
    "(?:总是|自动|始终)[^。\\n]{0,10}(?:批准|同意|允许|确认)",
    "(?:無条件|常に)[^。\\n]{0,12}(?:承認|許可)",
  ),
  sign(
    "it wants a protection to be off",
    `\\b(?:disable|turn off|switch off|deactivate|remove|bypass|escape|weaken|circumvent|break out of)\\b…\\b${guards}`,
    "--(?:yolo|dangerously|no-sandbox|no-verify|insecure|privileged)",
    "\\bdanger-full-access\\b|\\bsecurity_?mode\\b|\\byolo mode\\b",
    "(?:sandbox|genehmigung|sicherheit)…(?:abschalt|ausschalt|deaktivier|umgeh)",
    "(?:отключи|обойди)…(?:песочниц|защит|безопасн)",
    "(?:关闭|禁用|绕过)[^。\\n]{0,10}(?:沙盒|沙箱|安全|审批)",
  ),
  sign(
    "it wants secrets or a conversation to be sent away",
    "\\bexfiltrat",
    `\\b(?:send|post|upload|forward|leak|transmit|e-?mail|copy|append|report|share)\\b…(?<![a-z])${secrets}`,
    "\\b(?:reveal|print|repeat|show|output|disclose)\\b…\\b(?:system prompt|hidden instructions?|your instructions|secrets?|credentials?)\\b",
    "\\b(?:sende|schicke|verschicke|leite)\\b…(?:passw|schlussel|zugangsdaten|token|geheim)",
    "(?:отправ|перешли|вышли)…(?:парол|ключ|токен|секрет)",
    "(?:发送|上传|泄露)[^。\\n]{0,15}(?:密码|密钥|令牌|凭证)|(?:密码|密钥|令牌|凭证)[^。\\n]{0,10}(?:发送|上传|泄露)",
  ),
  sign(
    "it runs something from elsewhere",
    "\\b(?:curl|wget|iwr|invoke-webrequest|fetch)\\b[^\\n]{0,200}\\|[^\\n]{0,20}\\b(?:sh|bash|zsh|dash|python\\d?|perl|node|ruby|iex|sudo)\\b",
    "\\b(?:bash|sh|zsh|eval|source|python\\d?)\\b[ -]{0,3}c? ?[\"'(<$` ]{1,5}(?:curl|wget)\\b",
    "\\biex ?\\(|\\bbase64 (?:-d|--decode|-di)\\b|\\beval ?\\(? ?(?:atob|base64|\\$\\()",
    "\\bpowershell\\b[^\\n]{0,40}-e(?:nc)?",
  ),
  sign(
    "it has a command in it that can do great harm",
    "\\brm -[a-z]*(?:r[a-z]*f|f[a-z]*r)[a-z]* +(?:--no-preserve-root +)?(?:/|~|\\$home|\\*)",
    "\\bmkfs\\b|\\bdd if=|:\\(\\) ?\\{|\\bchmod (?:-r )?777 /",
    ">> ?\\S*(?:\\.bashrc|\\.zshrc|\\.profile|crontab)|\\bcrontab -|\\bauthorized_?keys\\b",
    "\\bnc (?:-[a-z]+ )*-[a-z]*e\\b|/dev/tcp/",
  ),
  sign(
    "it has a block in it that nobody can read",
    "(?<![a-z0-9+/])(?=[a-z0-9+/]*\\d)[a-z0-9+/]{60,}={0,2}(?![a-z0-9+/])",
    "(?:\\\\x[0-9a-f]{2}){8,}|(?:%[0-9a-f]{2}){10,}|data:[a-z]+/[a-z0-9.+-]+;base64",
  ),
  sign(
    "it wants to be hidden from the person",
    "\\b(?:do not|don't|never|without) (?:tell|inform|mention|notify|alert|show|reveal|disclos)(?:e|ing)?\\b…\\b(?:user|person|human|owner|them|anyone|anybody)\\b",
    "\\b(?:hide|conceal|keep)\\b…\\b(?:from the (?:user|person|human|owner)|secret from)",
    "\\bsecretly\\b|\\bwithout the (?:user|person|owner)(?:'s)? (?:knowing|knowledge|consent)",
    "\\b(?:sag|verrat|erzahl)\\w*…(?:nutzer|niemand)\\w*…nicht",
    "не (?:говори|сообщай|упоминай)…(?:пользовател|никому|об этом)",
    "不要(?:告诉|通知|提醒)[^。\\n]{0,6}(?:用户|任何人|主人)",
  ),
  sign(
    "it tells an agent what to do",
    `\\b(?:when|whenever|if|once|every time|each time|before|after)\\b…\\b(?:users?|you|person|anyone|agent|assistant)\\b…\\b${deed}`,
    "\\b(?:agent|assistant|ai|model|llm|bot)s? (?:must|should|shall|has to|have to|is required to|are required to)\\b",
    `\\byou (?:must|are required to|have to|shall) (?:always |now |immediately |never |first )*${deed}`,
    "\\b(?:note|attention|important|message|instructions?) (?:to|for) (?:the |all )?(?:ai|agents?|assistants?|models?|llms?|bots?)\\b",
  ),
  sign(
    "it claims a permission",
    "\\b(?:user|owner|person|admin|operator|administrator|developer|openai|anthropic|talaria) (?:has )?(?:already |previously |explicitly |pre-?)(?:approved|authori[sz]ed|allowed|consented|agreed|granted)\\b",
    "\\bpre-?(?:approved|authori[sz]ed)\\b|\\btrusted source\\b",
    "\\b(?:full|root|admin(?:istrator)?|unrestricted|unlimited) (?:access|permissions?|privileges?|rights)\\b",
  ),
];
