import { html, type TemplateResult } from 'lit';

/** Icons of 24 × 24, strokes only, in the colour of the text. */
const paths = {
  card: 'M3 8a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3zm0 2h18M7 15h3',
  bank_transfer: 'M4 9.5 12 5l8 4.5V10H4zM6 10v7m4-7v7m4-7v7m4-7v7M4 19h16',
  crypto: 'M12 3 4 7.5v9l8 4.5 8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  mobile_money: 'M8 3h8v18H8zm3 15h2',
  lock: 'M6 11h12v9H6zm3 0V8a3 3 0 0 1 6 0v3',
};

export type IconName = keyof typeof paths;

/** An icon. Screen readers skip it, because a text next to it has the same meaning. */
export function icon(name: IconName): TemplateResult {
  return drawing(paths[name]);
}

/** An icon from a path of 24 × 24. */
export function drawing(path: string): TemplateResult {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d=${path}></path></svg>`;
}
