import {
  type ApiDocument,
  addressOf,
  type Call,
  callPath,
  callsOf,
  nameOf,
  type Parameter,
  type Schema,
} from '../../../api/openapi/document.ts';
import { createExamples, type Examples } from '../../../api/openapi/examples.ts';
import { literal, samplesOf } from '../../../api/openapi/samples.ts';
import { slugOf } from '../../../api/openapi/slug.ts';
import { type DocPage, pageFrom, pathOf } from '../page.ts';
import { type ClientCall, isId } from './client-calls.ts';
import { sampleUrl } from './document.ts';
import { type FieldContext, fieldList, objectPath } from './fields.ts';

const section = 'API';

/** Example bodies of calls that accept only CSV, by path. */
const csvExamples: Readonly<Record<string, string>> = {
  '/v1/recipients/import':
    'name,type,email,destination.type,destination.iban\nAda Lovelace,individual,ada@example.com,bank_account,DE89370400440532013000',
};

interface Context extends FieldContext {
  readonly examples: Examples;
  readonly client: ReadonlyMap<string, ClientCall>;
}

/** The pages of the reference, and the names of fields that have no example. */
export interface Reference {
  readonly pages: readonly DocPage[];
  readonly gaps: readonly string[];
}

/** The API reference: an overview, and a page for each group of calls, each call and each object. */
export function apiPages(document: ApiDocument, client: ReadonlyMap<string, ClientCall>): Reference {
  const objects = answeredObjects(document);
  const examples = createExamples(document);
  const context: Context = { document, client, examples, hasPage: name => objects.has(name) };
  const calls = callsOf(document);
  const groups = document.tags.flatMap(({ name, description = '' }) => {
    const own = calls.filter(({ tags }) => tags[0] === name);
    return [groupPage(name, description, own), ...own.map(call => callPage(call, context))];
  });
  const objectPages = [...objects].sort().map(name => objectPage(name, context));
  return {
    pages: [overview(document), ...groups, objectsPage([...objects].sort()), ...objectPages],
    gaps: [...examples.gaps],
  };
}

const groupSlug = (tag: string): string => `api/${slugOf(tag)}`;
const callSlug = (call: Call): string => callPath(call).slice('/docs/'.length);

function overview(document: ApiDocument): DocPage {
  const groups = document.tags.map(
    ({ name, description = '' }) => `- [${name}](${pathOf(groupSlug(name))}): ${description}`,
  );
  const text = [
    `# API reference\n\n${document.info.description}`,
    `## Calls\n\n${groups.join('\n')}`,
    `[Objects](${pathOf('api/objects')}) lists every object that the API answers. The same as OpenAPI 3.1: \`/openapi.json\`.`,
  ];
  return pageFrom('api', section, text.join('\n\n'));
}

function groupPage(tag: string, description: string, calls: readonly Call[]): DocPage {
  const rows = calls.map(call => `| [${call.summary}](${pathOf(callSlug(call))}) | \`${call.method} ${call.path}\` |`);
  const text = `# ${tag}\n\n${description}\n\n| Call | Address |\n|---|---|\n${rows.join('\n')}\n`;
  return pageFrom(groupSlug(tag), section, text);
}

function callPage(call: Call, context: Context): DocPage {
  const body = context.examples.bodyOf(call) ?? csvExamples[call.path] ?? null;
  const path = examplePath(call, context);
  const parts = [
    `# ${call.summary}`,
    call.description,
    request(call, path, body),
    `**Who may call:** ${callers(call)}.`,
    ...fieldsOf(call, context),
    `## Example\n\n${samplesOf({ call, url: sampleUrl, path, body, client: clientSample(call, body, path, context) })}`,
    answers(call, context),
  ];
  const page = pageFrom(callSlug(call), section, parts.filter(part => part !== '').join('\n\n'));
  return { ...page, parent: groupSlug(call.tags[0]), description: `${call.method} ${call.path}: ${call.summary}.` };
}

/** The call's request line and body, as a code block. The visitor can run a call without body or with a JSON body. */
function request({ method, path }: Call, example: string, body: unknown): string {
  const query = example.includes('?') ? example.slice(example.indexOf('?')) : '';
  const text = body === null ? '' : `\n\n${typeof body === 'string' ? body : JSON.stringify(body, null, 2)}`;
  return `\`\`\`http${typeof body === 'string' ? '' : ' try'}\n${method} ${path}${query}${text}\n\`\`\``;
}

const ways: Readonly<Record<string, string>> = {
  secretKey: 'a secret key',
  publishableKey: 'a publishable key from a page of an allowed origin',
  'publishableKey,clientSecret': 'a publishable key with the client secret of the payment',
  clientSecretAlone: 'the client secret of the payment alone',
  session: 'a person in a dashboard session',
  '': 'every caller who knows the id',
};

function callers({ security = [], path }: Call): string {
  if (security.every(way => Object.keys(way).length === 0)) return 'every caller';
  const texts = security.map(way => ways[Object.keys(way).join()] ?? Object.keys(way).join());
  return `${texts.join(', or ')}${path.startsWith('/v1/test_helpers/') ? '; test mode only' : ''}`;
}

function fieldsOf(call: Call, context: Context): string[] {
  const parametersIn = (place: string) => call.parameters.filter(parameter => parameter.in === place);
  const lists = [
    ['In the path', parameterList(parametersIn('path'), context)],
    ['In the query', parameterList(parametersIn('query'), context)],
    ['Body', bodyFields(call, context)],
  ] as const;
  return lists.flatMap(([title, list]) => (list === '' ? [] : [`## ${title}\n\n${list}`]));
}

function bodyFields({ requestBody }: Call, context: Context): string {
  const schema = requestBody?.content['application/json']?.schema;
  const other = Object.keys(requestBody?.content ?? {}).find(type => type !== 'application/json');
  const note = other === undefined ? '' : `The body may also be \`${other}\`.`;
  return [schema === undefined ? '' : fieldList(schema, context), note].filter(text => text !== '').join('\n\n');
}

function parameterList(parameters: readonly Parameter[], context: Context): string {
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [
      name,
      { ...schema, ...(description !== undefined && { description }) },
    ]),
  );
  const required = parameters.filter(parameter => parameter.required).map(({ name }) => name);
  return parameters.length === 0 ? '' : fieldList({ type: 'object', properties, required }, context);
}

/** The path with example ids, the required query parameters and `limit`. */
function examplePath(call: Call, { examples }: Context): string {
  const shownIn = (place: string) =>
    call.parameters.filter(({ name, required, in: own }) => own === place && (required || name === 'limit'));
  const valuesOf = (parameters: readonly Parameter[]) =>
    Object.fromEntries(
      parameters.map(parameter => [
        parameter.name,
        parameter.name === 'limit' ? '3' : String(examples.parameterOf(parameter, call)),
      ]),
    );
  return addressOf(call.path, valuesOf(shownIn('path')), valuesOf(shownIn('query')));
}

/** The call in code of the typed client, if the client has this call. */
function clientSample(call: Call, body: unknown, path: string, { client }: Context): string | null {
  const found = client.get(`${call.method} ${call.path.replace(/\{[^}]+\}/g, '{}')}`);
  if (found === undefined || typeof body === 'string') return null;
  const names = [...call.path.matchAll(/\{([^}]+)\}/g)].map(match => match[1]);
  const segments = call.path.split('/');
  const ids = names.map(name => path.split('?')[0]?.split('/')[segments.indexOf(`{${name}}`)] ?? '');
  const query = Object.fromEntries(new URL(path, 'http://localhost').searchParams);
  const values = found.parameters.map(parameter => {
    if (isId(parameter)) return `'${ids.shift()}'`;
    if (parameter in query) return literal(query[parameter]);
    return body !== null ? literal(body) : Object.keys(query).length === 0 ? '' : literal(numbersIn(query));
  });
  const text = `${found.name}(${values.filter(value => value !== '').join(', ')})`;
  return found.isList ? `for await (const item of ${text}) console.log(item);` : `console.log(await ${text});`;
}

const numbersIn = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, /^\d+$/.test(value) ? Number(value) : value]));

function answers(call: Call, { document, examples, hasPage }: Context): string {
  const [status, answer] = Object.entries(call.responses).find(([code]) => /^2/.test(code)) ?? [];
  const [type, content] = Object.entries(answer?.content ?? {})[0] ?? [];
  if (content === undefined) return '';
  if (type !== 'application/json') return `## Answer ${status}\n\n\`${type}\`.`;
  const item = content.schema.properties?.['data']?.items;
  const name = nameOf(item ?? content.schema);
  const link = name !== null && hasPage(name) ? `[${name}](${objectPath(name)})` : '';
  const words = item === undefined ? link : `A list of ${link}, newest first.`;
  const example = JSON.stringify(examples.answerOf(call), null, 2);
  const fields = link === '' ? fieldList(content.schema, { document, hasPage }) : '';
  return [`## Answer ${status}`, words, fields, `\`\`\`json\n${example}\n\`\`\``]
    .filter(text => text !== '')
    .join('\n\n');
}

/** Names of the objects that answers and events contain. */
function answeredObjects(document: ApiDocument): Set<string> {
  const found = new Set<string>();
  const isObject = (name: string) => {
    const schema = document.components.schemas[name];
    return schema?.type === 'object' || schema?.allOf !== undefined;
  };
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const name = '$ref' in part ? nameOf(part as Schema) : null;
    if (name !== null && !found.has(name) && isObject(name)) {
      found.add(name);
      visit(document.components.schemas[name]);
    }
    for (const value of Object.values(part)) visit(value);
  };
  for (const { responses } of callsOf(document)) visit(responses);
  for (const { post } of Object.values(document.webhooks)) visit(post.requestBody);
  found.add('ErrorBody');
  return found;
}

function objectsPage(names: readonly string[]): DocPage {
  const list = names.map(name => `- [${name}](${objectPath(name)})`);
  return pageFrom(
    'api/objects',
    section,
    `# Objects\n\nThe objects that the API answers and that events carry.\n\n${list.join('\n')}\n`,
  );
}

function objectPage(name: string, context: Context): DocPage {
  const schema = context.document.components.schemas[name] ?? {};
  const calls = callsOf(context.document).filter(({ responses }) =>
    JSON.stringify(responses).includes(`/schemas/${name}"`),
  );
  const links = calls.map(call => `[${call.summary}](${pathOf(callSlug(call))})`);
  const parts = [
    `# ${name}`,
    schema.description ?? '',
    links.length === 0 ? '' : `Answered by: ${links.join(', ')}.`,
    `## Fields\n\n${fieldList(schema, context)}`,
    `## Example\n\n\`\`\`json\n${JSON.stringify(context.examples.objectOf(name), null, 2)}\n\`\`\``,
  ];
  const page = pageFrom(
    objectPath(name).slice('/docs/'.length),
    section,
    parts.filter(part => part !== '').join('\n\n'),
  );
  return { ...page, parent: 'api/objects', description: `Fields of the object ${name}.` };
}
