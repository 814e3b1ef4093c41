import { html, noChange, nothing, type TemplateResult } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';

/** Opens a `<details>` each time that its content becomes needed. Only the person closes it. */
class OpensWhenNeeded extends Directive {
  #wasNeeded = false;

  override render(_isNeeded: boolean): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [isNeeded]: [boolean]): unknown {
    if (isNeeded && !this.#wasNeeded) (element as HTMLDetailsElement).open = true;
    this.#wasNeeded = isNeeded;
    return noChange;
  }
}

const opensWhenNeeded = directive(OpensWhenNeeded);

/** A group of fields. */
interface Disclosure {
  readonly label: string;
  /** Names the group's row for screen readers, because the groups of all rows have the same label. */
  readonly about?: string;
  /** A few words about the content, shown after the label. */
  readonly state?: string;
  /** Whether the group opens without a press, because a field has a text or an error. */
  readonly isNeeded: boolean;
}

/** A group of fields that is closed until it is needed. */
export function disclosure(
  { label, about, state = '', isNeeded }: Disclosure,
  content: TemplateResult,
): TemplateResult {
  const name = about === undefined ? nothing : [label, state, about].filter(Boolean).join(', ');
  return html`<details class="group" ${opensWhenNeeded(isNeeded)}>
    <summary aria-label=${name}>${label}${state === '' ? nothing : html` <span class="hint">${state}</span>`}</summary>
    <div class="fields">${content}</div>
  </details>`;
}
