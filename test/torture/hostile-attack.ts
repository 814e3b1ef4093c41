import { SaxesParser } from 'saxes';
import type { TestAnswer, TestApp } from '../support/app.ts';
import {
  type Complaint,
  createErrorJudge,
  csvComplaint,
  echoComplaint,
  pageComplaint,
  valueAt,
} from './hostile-oracle.ts';
import { bodyOf, createScene, pathOf, type Scene } from './hostile-scene.ts';
import { type Hostile, hostileBodies, hostileIds, hostileValues } from './hostile-values.ts';
import {
  type Body,
  type Field,
  type OpenApiDocument,
  type Operation,
  readableAs,
  readablePaths,
  writingOperations,
} from './openapi-calls.ts';
import { type Deadline, seed, seeded } from './round.ts';

/** After so many refused calls in succession, the objects and lists are compared with those before. */
const streak = 4;
/** A declined charge is kept. A service that was unavailable may have begun. */
const leavesTraces: ReadonlySet<number> = new Set([402, 503]);
/** Stands for the hostile value in a body until it is sent. */
const mark = '@hostile@';

const random = seeded(seed);
const byChance = <T>(list: readonly T[]): T[] =>
  list
    .map(item => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
const nameOf = ({ method, path }: Operation) => `${method} ${path}`;
const isSuccess = ({ status }: TestAnswer) => status < 300;

/** Hostile calls to a running app, and what was wrong with their answers. */
export interface Attack {
  readonly operations: readonly Operation[];
  /** Another merchant. Its ids are foreign to all others. */
  readonly stranger: Scene;
  readonly complaints: readonly string[];
  readonly counts: { inputs: number; operations: number; accepted: number };
  /** Works on operations in random order, three at a time, until the part of the round is over. */
  each(operations: readonly Operation[], part: Deadline, work: (operation: Operation) => Promise<void>): Promise<void>;
  /** Puts hostile values at the places in the operation's body, at most `most` of them. */
  onFields(operation: Operation, most: number, part: Deadline): Promise<void>;
  /** Makes the call for foreign ids, and with keys that may not make it. */
  onAccess(operation: Operation): Promise<void>;
}

/** Reads the operations from the app's OpenAPI document, and prepares a stranger with an object of each kind. */
export async function createAttack(shop: TestApp): Promise<Attack> {
  const document: OpenApiDocument = (await shop.request('GET /openapi.json')).body;
  const operations = writingOperations(document);
  const examples = new Map(operations.flatMap(one => (one.example ? [[nameOf(one), one.example] as const] : [])));
  const stranger = await createScene(shop);
  const foreignIds = new Map<string, string>();
  for (const operation of operations) {
    const collection = collectionOf(operation);
    if (!operation.path.includes('{') || foreignIds.has(collection)) continue;
    foreignIds.set(collection, idIn(await pathOf(stranger, operation, examples), operation));
  }
  const counts = { inputs: 0, operations: 0, accepted: 0 };
  const target: Target = {
    shop,
    document,
    examples,
    stranger,
    foreignIds,
    counts,
    judge: createErrorJudge(document),
    complaints: [],
  };
  return {
    operations,
    stranger,
    counts,
    complaints: target.complaints,
    each: async (list, part, work) => {
      const waiting = byChance(list).values();
      const lane = async () => {
        for (const operation of waiting) {
          if (part.isOver()) break;
          await work(operation);
          counts.operations++;
        }
      };
      await Promise.all([lane(), lane(), lane()]);
    },
    onFields: (operation, most, part) => attackFields(target, operation, most, part),
    onAccess: operation => attackAccess(target, operation),
  };
}

interface Target {
  readonly shop: TestApp;
  readonly document: OpenApiDocument;
  readonly examples: ReadonlyMap<string, Body>;
  readonly stranger: Scene;
  /** Ids of the stranger's objects, by the path up to the id. */
  readonly foreignIds: ReadonlyMap<string, string>;
  readonly judge: ReturnType<typeof createErrorJudge>;
  readonly counts: Attack['counts'];
  readonly complaints: string[];
}

const collectionOf = ({ path }: Operation) => path.split('/{')[0] ?? '';
const idIn = (path: string, operation: Operation) => path.split('/')[collectionOf(operation).split('/').length] ?? '';

/** A hostile value and its place. Without a place, the value is the whole body. */
interface Input {
  readonly place: number | null;
  readonly value: Hostile;
}

/** A random choice of all pairs of a place and a value. */
function inputsOf(fields: readonly Field[], foreignIds: Iterable<string>, most: number): Input[] {
  const values = hostileValues([...foreignIds]);
  const lastName = ({ param }: Field) =>
    param
      .replace(/\[\d+\]$/, '')
      .split('.')
      .at(-1) ?? '';
  const pairs = fields.flatMap((field, place) =>
    values.filter(({ fields: names }) => names?.test(lastName(field)) ?? true).map(value => ({ place, value })),
  );
  return byChance([...pairs, ...hostileBodies.map(value => ({ place: null, value }))]).slice(0, most);
}

/** A call that would succeed: its path, the places in its body, and the paths where it may leave something. */
async function prepare({ document, examples }: Target, scene: Scene, operation: Operation) {
  const path = await pathOf(scene, operation, examples);
  const parts = operation.path.split('/');
  const watched = [3, 4, 5, 6].flatMap(length => {
    const template = parts.slice(0, length).join('/');
    const kind = parts.length < length ? null : readableAs(document, template);
    const place = path.split('/').slice(0, length).join('/');
    return kind === null ? [] : [kind === 'list' ? `${place}?limit=100` : place];
  });
  const body = await bodyOf(scene, operation);
  return { path, body, watched, fields: operation.fieldsOf(body) };
}

/** Codes of authenticators and open Stellar accounts are in no document. */
const withoutExample = /^\/v1\/(person\/totp|test_helpers\/deposits)/;

async function attackFields(target: Target, operation: Operation, most: number, part: Deadline): Promise<void> {
  const { complaints, counts, foreignIds } = target;
  const scene = await createScene(target.shop);
  let ready = await prepare(target, scene, operation);
  const plain = await scene.send(operation, ready.path, JSON.stringify(ready.body));
  if (plain.status === 400 && !withoutExample.test(operation.path)) {
    complaints.push(`${nameOf(operation)} refuses its example; give it another in hostile-scene.ts: ${plain.text}`);
  }
  if (isSuccess(plain)) ready = await prepare(target, scene, operation);
  let before: string | null = null;
  let refused: { readonly input: string; readonly body: string }[] = [];
  for (const { place, value } of inputsOf(ready.fields, foreignIds.values(), most)) {
    if (part.isOver()) break;
    before ??= await stateOf(scene, operation, ready.watched);
    const field = place === null ? undefined : ready.fields[place];
    const body =
      field === undefined ? value.json : JSON.stringify(field.put(mark)).replace(`"${mark}"`, () => value.json);
    const answer = await scene.send(operation, ready.path, body);
    const input = `${nameOf(operation)} ${field?.param ?? 'body'} ← ${value.name}`;
    counts.inputs++;
    const found = isSuccess(answer)
      ? await acceptedComplaints(target, scene, operation, { answer, field, value })
      : [target.judge(answer, field && namesOf(operation, ready.fields))];
    for (const complaint of found) if (complaint !== null) complaints.push(`${input}: ${complaint}`);
    if (isSuccess(answer)) {
      counts.accepted++;
      [before, refused] = [null, []];
      if (operation.method === 'POST') ready = await prepare(target, scene, operation);
      continue;
    }
    if (!leavesTraces.has(answer.status)) refused.push({ input, body });
    if (refused.length < streak) continue;
    const state = () => stateOf(scene, operation, ready.watched);
    const after = await state();
    if (after !== before) {
      // Work in the background, such as a settlement, changes an object once. What a refused call leaves comes again.
      for (const { body: again } of refused) await scene.send(operation, ready.path, again);
      if ((await state()) !== after) complaints.push(`left something: ${refused.map(one => one.input).join(', ')}`);
      before = null;
    }
    refused = [];
  }
  for (const complaint of await readComplaints(target, scene))
    complaints.push(`after ${nameOf(operation)}: ${complaint}`);
}

/** The places that an error may name. The id in the path is a live one, but not that of a part. */
function namesOf({ path }: Operation, fields: readonly Field[]): Set<string> {
  const partIds = [...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => name).filter(name => name !== 'id');
  return new Set([...partIds, ...fields.map(({ param }) => param.replace(/\[\d+\]/g, ''))]);
}

/** The objects as they are, and the ids in the lists. Other objects of a list may change in the background. */
async function stateOf(scene: Scene, { access }: Operation, paths: readonly string[]): Promise<string> {
  const states: unknown[] = [];
  for (const path of paths) {
    const { body } = access === 'session' ? await scene.owner.send(`GET ${path as '/'}`) : await scene.read(path);
    states.push(body.object === 'list' ? body.data.map(({ id }: { id: string }) => id) : body);
  }
  return JSON.stringify(states).replace(/"request_id":"\w+"/g, '');
}

interface Accepted {
  readonly answer: TestAnswer;
  readonly field: Field | undefined;
  readonly value: Hostile;
}

/** An accepted value is in the answer as it was given, can be read, and is only text on its page. */
async function acceptedComplaints(
  { shop }: Target,
  scene: Scene,
  { access }: Operation,
  { answer, field, value }: Accepted,
): Promise<Complaint[]> {
  if (value.isRefused) return ['it was accepted'];
  const found = field ? [echoComplaint(field.param, JSON.parse(value.json), valueAt(answer.body, field.param))] : [];
  const { location } = answer.headers;
  if (typeof location === 'string' && access === 'key') {
    const { status } = await scene.read(location);
    if (status >= 500) found.push(`reading it answers ${status}`);
  }
  if (!value.json.includes('hostile()')) return found;
  for (const name of ['checkout_url', 'hosted_invoice_url', 'url']) {
    const url = String(answer.body?.[name]);
    if (!url.startsWith('http://localhost:4242/')) continue;
    // From another address each time, because visits from one address are limited.
    const remoteAddress = `10.${[1, 2, 3].map(() => Math.floor(random() * 256)).join('.')}`;
    const request = { url: url.slice('http://localhost:4242'.length), headers: { accept: 'text/html' }, remoteAddress };
    const { body, statusCode } = await shop.app.http.inject(request);
    found.push(statusCode === 200 ? pageComplaint(body) : `its page answers ${statusCode}`);
  }
  return found;
}

/** Reads all lists, exports and mails of the merchant. */
async function readComplaints({ document }: Target, scene: Scene): Promise<string[]> {
  const found: string[] = [];
  const check = async (path: string, complaintOf: (answer: TestAnswer) => Complaint) => {
    const answer = await scene.read(path);
    const complaint = answer.status >= 500 ? answer.text : answer.status === 200 ? complaintOf(answer) : null;
    if (complaint !== null) found.push(`GET ${path}: ${complaint}`);
    return answer;
  };
  for (const path of readablePaths(document, 'application/json')) await check(path, () => null);
  for (const path of readablePaths(document, 'text/csv')) await check(path, ({ text }) => csvComplaint(text));
  for (const path of readablePaths(document, 'application/xml'))
    await check(`${path}?asset=EUR`, ({ text }) => xmlComplaint(text));
  const mails = await check('/v1/mails?limit=20', ({ body }) => {
    const split = body.data.find(({ subject }: { subject: string }) =>
      /[\p{Cc}\u202a-\u202e\u2028\u2029]/u.test(subject),
    );
    return split === undefined ? null : `the subject ${JSON.stringify(split.subject)}`;
  });
  for (const { id } of mails.body.data) await check(`/v1/mails/${id}`, ({ body }) => pageComplaint(String(body.html)));
  return found;
}

function xmlComplaint(text: string): Complaint {
  let complaint: Complaint = null;
  const parser = new SaxesParser();
  parser.on('error', ({ message }) => {
    complaint ??= message;
  });
  parser.write(text).close();
  return complaint;
}

async function attackAccess(
  { shop, examples, stranger, foreignIds, counts, judge, complaints }: Target,
  operation: Operation,
) {
  const scene = await createScene(shop);
  const path = await pathOf(scene, operation, examples);
  const body = JSON.stringify(await bodyOf(scene, operation));
  const hasId = operation.path.includes('{');
  const expectRefusal = (answer: TestAnswer, what: string) => {
    counts.inputs++;
    const complaint = isSuccess(answer) ? `answers ${answer.status}` : judge(answer);
    if (complaint !== null) complaints.push(`${nameOf(operation)} with ${what}: ${complaint}`);
  };
  for (const id of hasId ? [foreignIds.get(collectionOf(operation)) ?? '', ...hostileIds] : []) {
    const elsewhere = path.replace(idIn(path, operation), encodeURIComponent(id));
    expectRefusal(await scene.send(operation, elsewhere, body), `the id ${id}`);
  }
  if (operation.isOpen) return;
  const keys: [string, string | null][] = [
    ['no key', null],
    ['an unknown key', 'sk_test_unknown'],
    ['a key of another scope', await shop.addKey(scene.merchant.id, 'secret', { scopes: ['reports:read'] })],
  ];
  if (hasId && !operation.isOfAccount) {
    keys.push(['the key of another merchant', stranger.merchant.secretKey]);
    keys.push(['a key of live mode', await shop.addKey(scene.merchant.id, 'secret', { livemode: true })]);
  }
  if (!operation.isForPublishableKeys) keys.push(['a publishable key', scene.merchant.publishableKey]);
  for (const [what, key] of keys) {
    const headers = { 'content-type': 'application/json' };
    expectRefusal(await shop.request(`${operation.method} ${path}` as 'POST /', { key, headers, body }), what);
  }
}
