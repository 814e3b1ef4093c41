/** A hostile value, as the JSON text that replaces a field or a whole body. */
export interface Hostile {
  readonly name: string;
  readonly json: string;
  /** The only fields that the value is for, by their name. Default: every field. */
  readonly fields?: RegExp;
  /** Whether every field refuses the value, as does a whole body. */
  readonly isRefused?: true;
}

/** Markup that would call this function. A page must show the call as text. */
export const markup = `</title></textarea></script><script>hostile()</script><img src=x onerror=hostile()>`;
/** Would end an attribute of a page and add another. */
export const attribute = `"'onmouseover=hostile() x="' \${hostile()} {{hostile()}}`;

const texts: Readonly<Record<string, string>> = {
  'an empty text': '',
  'a blank text': ' \u00a0\u2003 ',
  'a direction override': 'Ada \u202eecalevoL',
  'direction isolates that stay open': '\u2066\u2067\u2068Ada',
  'right-to-left marks': '\u200fAda\u200e \u061cLovelace',
  'a line break': 'Ada\nLovelace',
  'a carriage return and a header': 'Ada\r\nBcc: eve@evil.example\r\n\r\nHello',
  'other line separators': 'Ada\u2028Lovelace\u2029\u0085\u000b\u000c',
  'control characters': 'Ada\u0001\u0008\u001b[31m\u007f\u009b31m',
  'emoji of several code points': '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿🇨🇭1️⃣👍🏽',
  'many marks on a letter': `a${'\u0301'.repeat(300)}`,
  'noncharacters and private use': '\ufffe\uffff\u{1fffe} \ue000 \ufeff\u200b',
  '10 kB of letters': 'x'.repeat(10_000),
  '10 kB of ideographs': '漢'.repeat(3_400),
  '10 kB of blanks before a letter': `${' '.repeat(10_000)}a`,
  'text that backtracking is slow for': `${'a@'.repeat(60)}${'1-'.repeat(60)}!`,
  'NaN as text': 'NaN',
  'infinity as text': '-Infinity',
  'a number as text': '1000',
  'a hexadecimal number as text': '0x10',
  'a number with exponent as text': '1e3',
  'a large number as text': '9007199254740993',
  'a negative zero as text': '-0',
  'a number with many digits as text': `0.${'1'.repeat(40)}`,
  'full-width digits': '\uff11\uff12',
  'Arabic digits': '\u0661\u0662',
  'a boolean as text': 'true',
  'null as text': 'null',
  'a full-width currency': '\uff25\uff35\uff32',
  'a currency with a dotless i': '\u0131sk',
  'a currency with a long s': 'U\u017fD',
  'a currency with a null width space': 'EU\u200bR',
  SQL: `'); drop table payments; --`,
  'an SQL union': `x' union select secret from api_keys where '1'='1`,
  'wildcards of SQL': '%_\\%',
  'format strings': '%s%n%x {0} #{7*7} $1 $& $\u0060',
  'a path upwards': '../../../../etc/passwd',
  'a path upwards, encoded': '..%2f..%2fetc%2fpasswd%00.png',
  'a formula with =': '=HYPERLINK("http://evil.example","x")',
  'a formula with +': '+1+cmd|\u0027 /C calc\u0027!A0',
  'a formula with -': '-1+1',
  'a formula with @': '@SUM(1+1)*cmd',
  'a formula after a tab': '\t=1+1',
  'a formula after a line break': '\n=1+1',
  'a full-width formula with =': '\uff1d1+1',
  'a full-width formula with +': '\uff0b1+1',
  'a full-width formula with -': '\uff0d1+1',
  'a full-width formula with @': '\uff20SUM(1)',
  'a formula after quotes': '",=1+1,"',
  markup,
  'an attribute': attribute,
  'a closing CDATA': ']]><evil/>&undefined;<!ENTITY x SYSTEM "file:///etc/passwd">',
  'a name of a property': '__proto__',
  'another name of a property': 'constructor',
  'a javascript: URL': 'javascript:hostile()//https://shop.example.com/',
  'a javascript: URL with a tab': 'java\tscript:hostile()',
  'a data: URL': 'data:text/html,<script>hostile()</script>',
  'a file: URL': 'file:///etc/passwd',
  'a URL with a semicolon': "https://shop.example.com;script-src 'unsafe-inline'/x;y",
  'a URL with a user': 'https://shop.example.com@evil.example/',
  'a URL with a backslash': 'https://evil.example\\@shop.example.com/',
  'a URL with line breaks': 'https://shop.example.com/\r\nSet-Cookie: a=b',
  'a URL with quotes': `https://shop.example.com/"onload="hostile()'><script>hostile()</script>`,
  'a URL without scheme': '//evil.example/',
  'a URL with a port too large': 'https://shop.example.com:99999/',
  'a Stellar secret seed': 'SBCVMMCBEDB64TVJZFYJOJAERZC4YVVUOE6SYR2Y76CBTENGUSGWRRVO',
  'a Stellar address with a wrong checksum': 'GBYK4I37MZKLL4A2QS7VJCTDIIJK7UXWQWKXKTQ5WZGT2FPCGIVIQCY6',
  'a date that does not exist': '2026-02-30',
  'a date beyond all calendars': '9999-12-31',
  'a date with a sign': '-000001-01-01',
  'a time of a leap second': '2026-12-31T23:59:60Z',
  'a time beyond PostgreSQL': '+294277-01-01T00:00:00Z',
  'an endless duration': 'P999999999Y',
  'an empty duration': 'P',
  'an endless rule': 'FREQ=SECONDLY;COUNT=999999999',
};

const numbers: Readonly<Record<string, string>> = {
  zero: '0',
  'negative zero': '-0',
  'minus one': '-1',
  'a fraction': '0.1',
  'the largest exact integer': '9007199254740991',
  '2^53': '9007199254740992',
  '2^63': '9223372036854775808',
  'minus 2^63': '-9223372036854775809',
  'an integer that is none, written as 1.0000000000000000001e0': '1.0000000000000000001e0',
  'a number that is none, below the smallest': '1e-400',
  'a number beyond the largest': '1e400',
  'a number of 400 digits': '9'.repeat(400),
};

/** Not JSON, or JSON that parsers read differently. */
const malformed: Readonly<Record<string, string>> = {
  'a NUL': '"a\\u0000b"',
  'a raw NUL': '"a\u0000b"',
  'a lone high surrogate': '"a\\ud800b"',
  'a lone low surrogate': '"\\udfffb"',
  'NaN without quotes': 'NaN',
  'Infinity without quotes': '-Infinity',
  'an octal number': '0777',
  'a hexadecimal number': '0x10',
  'a raw line break in a text': '"a\nb"',
  'the same key twice': '{"a":1,"a":2}',
  'the same key twice, once escaped': '{"amount":1,"\\u0061mount":2}',
  'a key __proto__': '{"__proto__":{"isAdmin":true}}',
  'a key __proto__, escaped': '{"\\u005f_proto__":{"isAdmin":true}}',
  'objects that nest 40 deep': `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
  'lists that nest 5,000 deep': `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
};

const shapes: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  false: 'false',
  'an empty list': '[]',
  'a list of lists': '[[[]],[null]]',
  'a list of 20,000 numbers': `[${'0,'.repeat(19_999)}0]`,
  'a list of 20,000 objects': `[${'{},'.repeat(19_999)}{}]`,
  'an empty object': '{}',
  'an object of 5,000 keys': `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":${index}`).join(',')}}`,
  'an object with a key of 10 kB': `{"${'k'.repeat(10_000)}":1}`,
  'an object with keys of properties': '{"constructor":1,"toString":2,"hasOwnProperty":null,"then":3}',
  'an object with hostile keys': '{"=1+1":"=1+1","<script>hostile()</script>":"<script>hostile()</script>","":"x"}',
};

const origins = [
  ...['*', 'https://*', 'https://*.shop.example.com', 'null', "'self'", "'unsafe-inline'", 'https:', 'data:'],
  ...['https://shop.example.com https://evil.example', 'https://shop.example.com;', 'https://shop.example.com,x'],
  ...['https://shop.example.com/path', 'https://shop.example.com?x', 'https://shop.example.com#x', 'HTTPS://SHOP\t'],
];

/** Spellings of addresses inside the operator's network. */
const internal = [
  ...[
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://017700000001/',
    'http://0/',
  ],
  ...['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'http://[64:ff9b::7f00:1]/'],
  ...[
    'http://localhost/',
    'http://LOCALHOST./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://127%2e0%2e0%2e1/',
  ],
  ...['http://10.0.0.1/', 'http://172.16.0.1/', 'http://192.168.1.1/', 'http://169.254.169.254/latest/meta-data/'],
  ...[
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://100.64.0.1/',
    'http://224.0.0.1/',
    'gopher://127.0.0.1:6379/_',
  ],
];

const asJson = (table: Readonly<Record<string, string>>, more: object = {}) =>
  Object.entries(table).map(([name, json]): Hostile => ({ name, json, ...more }));
const asTexts = (list: readonly string[], more: object = {}) =>
  list.map((text): Hostile => ({ name: text, json: JSON.stringify(text), ...more }));

/** Values for every field. `foreign` are ids that the caller does not own. */
export const hostileValues = (foreign: readonly string[]): readonly Hostile[] => [
  ...asJson(shapes),
  ...asJson(numbers),
  ...asJson(malformed, { isRefused: true }),
  ...Object.entries(texts).map(([name, text]): Hostile => ({ name, json: JSON.stringify(text) })),
  ...asTexts(origins, { fields: /origins|url|domain|^name$/ }),
  ...asTexts(internal, { fields: /^url$/, isRefused: true }),
  ...foreign.map(
    (id): Hostile => ({
      name: `a foreign ${id.split('_')[0]}`,
      json: JSON.stringify(id),
      fields: /^(id|payment|(payment|recipient|customer|quote)_id|endpoint)$/,
      isRefused: true,
    }),
  ),
];

/** Whole bodies that no call accepts. */
export const hostileBodies: readonly Hostile[] = [
  ...asJson(malformed, { isRefused: true }),
  ...['{', '{}{}', '{"a":1,}', "{'a':1}", '[]', '[{}]', 'null', 'true', '0', '"{}"', '\ufeff{}', '// x\n{}'].map(
    (json): Hostile => ({ name: json, json, isRefused: true }),
  ),
  ...asJson(
    {
      'an unknown key': '{"hostile":1}',
      'keys of properties': shapes['an object with keys of properties'] ?? '',
      '5,000 unknown keys': shapes['an object of 5,000 keys'] ?? '',
    },
    { isRefused: true },
  ),
];

/** Ids that no object has. */
export const hostileIds: readonly string[] = [
  'pay_8GKYqrTwjUPD8ILPZIo2La',
  'inv_8GKYqrTwjUPD8ILPZIo2La',
  ...[
    '%',
    '*',
    '0',
    'null',
    'constructor',
    '__proto__',
    "' or '1'='1",
    '../payments',
    '%00',
    'a\u0000b',
    '👩‍👩‍👧',
    'x'.repeat(250),
  ],
];
