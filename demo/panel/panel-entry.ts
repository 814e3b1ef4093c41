import type { CallActivity, CallWay, Entry } from '../activity.ts';
import { type Child, h } from '../shop/dom.ts';

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString();
}

function body(title: string, value: unknown): Child {
  if (value === null || value === undefined) return null;
  return h('section', h('h4', title), jsonView(value));
}

function shell(entry: Entry, head: readonly Child[], below: string, content: readonly Child[]): HTMLElement {
  const bodies = content.filter(child => child !== null);
  const time = h('time', { class: 'at', datetime: entry.at }, timeOf(entry.at));
  const summary = [h('span.head', ...head), h('span.below', below, time)];
  return h(
    'li',
    { class: `entry ${entry.kind}`, 'data-kind': entry.kind },
    bodies.length === 0
      ? h('div.plain', ...summary)
      : h('details', h('summary', ...summary), h('div.bodies', ...bodies)),
  );
}

function statusChip(status: number | null): HTMLElement {
  const tone = status === null ? 'bad' : status < 300 ? 'good' : status < 500 ? 'warn' : 'bad';
  return h('span', { class: `chip ${tone}` }, status === null ? 'no answer' : String(status));
}

const routes: Readonly<Record<CallWay, string>> = {
  browser: 'browser → service',
  shop: 'shop → service',
  proxy: 'browser → shop → service',
};

/** Shortens the ids in a path, so that the rest of the path is visible. */
function shortPath(path: string): string {
  return path.replace(/\b([a-z]+_)[0-9A-Za-z]{18}([0-9A-Za-z]{4})\b/g, '…$2');
}

function callView(entry: Entry & CallActivity): HTMLElement {
  const head = [
    h('span', { class: `method ${entry.method.toLowerCase()}` }, entry.method),
    h('code', { class: 'path', title: entry.path }, shortPath(entry.path)),
    statusChip(entry.status),
  ];
  const isChanged = entry.received !== undefined;
  return shell(entry, head, `${routes[entry.from]}, ${entry.ms} ms`, [
    body('The browser asked the shop for', entry.received),
    body(isChanged ? 'The shop’s server sent' : 'Sent', entry.request),
    body('Answered', entry.response),
  ]);
}

/** List item of an activity. The item unfolds to show the bodies. */
export function entryView(entry: Entry): HTMLElement {
  switch (entry.kind) {
    case 'call':
      return callView(entry);
    case 'event':
      return shell(entry, [h('span.method.event', 'EVENT'), h('code.path', entry.type)], 'service → event stream', [
        body('Event', entry.body),
      ]);
    case 'webhook': {
      const mark = entry.verified ? 'signature verified' : 'signature refused';
      const head = [
        h('span.method.webhook', 'HOOK'),
        h('code.path', entry.type),
        h('span', { class: `chip ${entry.verified ? 'good' : 'bad'}` }, String(entry.status)),
      ];
      return shell(entry, head, `service → shop, ${mark}`, [body('Delivered', entry.body)]);
    }
    case 'notice':
      return h('li', { class: 'entry notice', 'data-kind': 'notice' }, entry.text);
  }
}

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** An indented and coloured JSON value. */
function jsonView(value: unknown): HTMLElement {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const view = h('pre', { class: 'json', tabindex: 0 });
  if (typeof value === 'string') {
    view.append(text);
    return view;
  }
  let at = 0;
  for (const match of text.matchAll(token)) {
    view.append(text.slice(at, match.index), ...coloured(match));
    at = match.index + match[0].length;
  }
  view.append(text.slice(at));
  return view;
}

function coloured([all, string, colon, word]: RegExpExecArray): (Node | string)[] {
  if (string !== undefined && colon !== undefined) return [h('span.json-key', string), colon];
  const kind = string !== undefined ? 'json-text' : word !== undefined ? 'json-word' : 'json-number';
  return [h('span', { class: kind }, all)];
}
