import { html, type TemplateResult } from 'lit';

/** What a state means to a merchant. `busy`: under way. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'plain';

/** The words and tones of states, by the value on the wire. */
export type StateTable = Readonly<Record<string, readonly [label: string, tone: Tone]>>;

/** The chip of a state. An unknown value is shown as it is. */
export function statusChip(value: string, states: StateTable): TemplateResult {
  const [label, tone] = states[value] ?? [sentenceCase(value), 'plain'];
  return chip(label, tone);
}

export function chip(label: string, tone: Tone = 'plain'): TemplateResult {
  return html`<span class="chip ${toneClass(tone)}">${label}</span>`;
}

/** The class of a tone; plain ones have none. */
export const toneClass = (tone: Tone): string => (tone === 'plain' ? '' : tone);

/** `partially_paid` becomes `Partially paid`. */
export function sentenceCase(value: string): string {
  const words = value.replace(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
