import { html, type TemplateResult } from 'lit';

/** The meaning of a state for a merchant. `busy`: in progress. */
export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'plain';

/** The label and tone of each state, by the API's value. */
export type StateTable = Readonly<Record<string, readonly [label: string, tone: Tone]>>;

/** The chip of a state. A value that is not in the table is shown as words. */
export function statusChip(value: string, states: StateTable): TemplateResult {
  const [label, tone] = states[value] ?? [sentenceCase(value), 'plain'];
  return chip(label, tone);
}

export function chip(label: string, tone: Tone = 'plain'): TemplateResult {
  return html`<span class="chip ${toneClass(tone)}">${label}</span>`;
}

/** The class of a tone. Plain tones have no class. */
export const toneClass = (tone: Tone): string => (tone === 'plain' ? '' : tone);

/** A value as words. For example, `partially_paid` becomes `Partially paid`. */
export function sentenceCase(value: string): string {
  const words = value.replace(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
