import type { Call } from './document.ts';

/** A call with all data that its samples show. */
export interface SampleCall {
  readonly call: Call;
  /** The URL of the server. */
  readonly url: string;
  /** The path with example ids, and the query. */
  readonly path: string;
  /** JSON, or CSV as text. Null without a body. */
  readonly body: unknown;
  /** The typed client's call with example arguments: `pay.payments.create({…})`. Null if there is none. */
  readonly client: string | null;
}

const key = 'sk_test_…';

/** The same call in curl, TypeScript, Python and PHP, as Markdown code blocks. */
export function samplesOf(sample: SampleCall): string {
  const blocks = [
    ['sh', 'curl', curl(sample)],
    ['ts', 'TypeScript', typescript(sample)],
    ['python', 'Python', python(sample)],
    ['php', 'PHP', php(sample)],
  ] as const;
  return blocks.map(([language, tab, code]) => `\`\`\`${language} tab=${tab}\n${code}\n\`\`\``).join('\n\n');
}

/** Whether the call needs no key, because anyone may make it, or a person in a session makes it. */
const isKeyless = ({ security = [] }: Call): boolean => security.every(way => !('secretKey' in way));
const json = (body: unknown): string => JSON.stringify(body, null, 2);
/** The body as text. A CSV body already is text. */
const asText = (body: unknown): string => (typeof body === 'string' ? body : json(body));
const indented = (text: string, spaces: number): string => text.replace(/\n/g, `\n${' '.repeat(spaces)}`);

/** The headers of the call: the API key, the idempotency key, and the content type. */
function headersOf({ call, body }: SampleCall): Record<string, string> {
  return {
    ...(!isKeyless(call) && { Authorization: `Bearer ${key}` }),
    ...(call.method === 'POST' && { 'Idempotency-Key': 'order-4711' }),
    ...(body !== null && { 'Content-Type': typeof body === 'string' ? 'text/csv' : 'application/json' }),
  };
}

/** The call as a command. */
export function curl(sample: SampleCall): string {
  const { method } = sample.call;
  const needsMethod = method !== 'GET' && !(method === 'POST' && sample.body !== null);
  const lines = [
    `curl ${needsMethod ? `-X ${method} ` : ''}'${sample.url}${sample.path}'`,
    ...Object.entries(headersOf(sample)).map(([name, value]) => `  -H '${name}: ${value}'`),
    ...(sample.body === null ? [] : [`  --data-binary '${asText(sample.body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n');
}

/** The call as a program. It uses the typed client if the client has the call, otherwise `fetch`. */
export function typescript(sample: SampleCall): string {
  const { client, url } = sample;
  if (client === null) return typescriptFetch(sample);
  return [
    "import { createPayClient } from 'pay-checkout/client';",
    '',
    `const pay = createPayClient({ baseUrl: '${url}', apiKey: '${key}' });`,
    client,
  ].join('\n');
}

function typescriptFetch(sample: SampleCall): string {
  const { method } = sample.call;
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    `headers: ${indented(literal(headersOf(sample)), 2)},`,
    ...(sample.body === null ? [] : [`body: ${typescriptBody(sample.body)},`]),
  ];
  const call = `const answer = await fetch('${sample.url}${sample.path}', {\n  ${options.join('\n  ')}\n});`;
  return `${call}\nconsole.log(answer.status, await answer.json());`;
}

const typescriptBody = (body: unknown): string =>
  typeof body === 'string' ? `\`${body}\`` : `JSON.stringify(${indented(literal(body), 2)})`;

/** Maximum characters of an object that is written on one line. */
const longestLine = 60;

/** A value in TypeScript: keys without quotes where possible, single quotes, short objects on one line. */
export function literal(value: unknown): string {
  const text = json(value)
    .replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replace(/"((?:[^"\\]|\\.)*)"/g, (_, text: string) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`);
  const line = text.replace(/\n\s*/g, ' ');
  return line.length <= longestLine ? line : text;
}

function python(sample: SampleCall): string {
  const options = [
    `"${sample.url}${sample.path}",`,
    `headers=${indented(json(headersOf(sample)), 4)},`,
    ...(sample.body === null ? [] : [pythonBody(sample.body)]),
  ];
  const { method } = sample.call;
  return `import requests\n\nanswer = requests.${method.toLowerCase()}(\n    ${options.join('\n    ')}\n)\nprint(answer.status_code, answer.json())`;
}

const pythonBody = (body: unknown): string =>
  typeof body === 'string' ? `data="""${body}""",` : `json=${indented(pythonLiteral(body), 4)},`;

const pythonLiteral = (value: unknown): string =>
  json(value)
    .replace(/: true(?=,?$)/gm, ': True')
    .replace(/: false(?=,?$)/gm, ': False')
    .replace(/: null(?=,?$)/gm, ': None');

function php(sample: SampleCall): string {
  const headers = Object.entries(headersOf(sample)).map(([name, value]) => `    '${name}: ${value}',`);
  const options = [
    `  CURLOPT_CUSTOMREQUEST => '${sample.call.method}',`,
    '  CURLOPT_RETURNTRANSFER => true,',
    `  CURLOPT_HTTPHEADER => [\n${headers.join('\n')}\n  ],`,
    ...(sample.body === null ? [] : [`  CURLOPT_POSTFIELDS => ${phpBody(sample.body)},`]),
  ];
  const lines = [`$call = curl_init('${sample.url}${sample.path}');`, 'curl_setopt_array($call, [', ...options, ']);'];
  return ['<?php', ...lines, 'print_r(json_decode(curl_exec($call), true));'].join('\n');
}

const phpBody = (body: unknown): string =>
  typeof body === 'string' ? phpLiteral(body) : `json_encode(${indented(phpLiteral(body), 2)})`;

/** A value in PHP: arrays in brackets. An empty object needs a cast, or it would become an array. */
function phpLiteral(value: unknown, depth = 0): string {
  const inner = '  '.repeat(depth + 1);
  const outer = '  '.repeat(depth);
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Object.keys(value).length === 0) return Array.isArray(value) ? '[]' : '(object) []';
  const rows = Array.isArray(value)
    ? value.map(item => `${inner}${phpLiteral(item, depth + 1)},`)
    : Object.entries(value).map(([name, item]) => `${inner}'${name}' => ${phpLiteral(item, depth + 1)},`);
  return `[\n${rows.join('\n')}\n${outer}]`;
}
