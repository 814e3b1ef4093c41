import { h } from '../shop/dom.ts';

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A JSON value, indented and coloured. Everything in it stays text. */
export function jsonView(value: unknown): HTMLElement {
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
  if (string !== undefined && colon !== undefined) return [h('span', { class: 'json-key' }, string), colon];
  const kind = string !== undefined ? 'json-text' : word !== undefined ? 'json-word' : 'json-number';
  return [h('span', { class: kind }, all)];
}
