import { css, html, nothing, type TemplateResult } from 'lit';
import { announce, type CheckoutContext } from '../checkout-context.ts';
import { drawing } from '../first-screen/icon.ts';
import { rowStrings } from '../strings/en/rows.ts';
import { say } from '../strings/en.ts';

/** A row with a label and a value. `copy` is the text for the clipboard. Without it, the row has no copy button. */
export interface Row {
  readonly label: string;
  readonly value: string;
  readonly copy?: string;
  /** Name of the value in the copy button's label. Default: `label`. */
  readonly name?: string;
  /** URL of a page about the value. */
  readonly href?: string;
  /** Shown in a typeface that distinguishes O from 0. */
  readonly code?: boolean;
  /** Shown on one line. A long value is shortened on the screen only, not for copying or screen readers. */
  readonly folded?: boolean;
}

export const rowStyles = css`
  .rows {
    /* A long line must not make the shop's column wider than the screen. */
    contain: inline-size;
    margin: 0;
    padding: 0;
    list-style: none;
    border: 1px solid var(--line);
    border-radius: var(--control);
  }
  .rows li {
    display: flex;
    gap: 12px;
    align-items: center;
    padding: 9px 14px;
  }
  .rows li + li {
    border-block-start: 1px solid var(--line);
  }
  .rows p {
    flex: 1;
    min-inline-size: 0;
    font-weight: 500;
    font-variant-numeric: tabular-nums;
  }
  .rows span {
    display: block;
    color: var(--ink3);
    font-size: 0.867em;
    font-weight: 400;
  }
  .rows b {
    display: block;
    font-weight: inherit;
    text-wrap: balance;
    user-select: all;
  }
  .rows .folded {
    white-space: nowrap;
  }
  .rows a {
    color: var(--accent-text);
    text-underline-offset: 0.2em;
  }
  .rows a i {
    text-decoration: underline;
  }
  .rows i {
    display: inline-block;
    max-inline-size: calc(100% - 6ch);
    overflow: hidden;
    font-style: normal;
    text-overflow: ellipsis;
    vertical-align: bottom;
  }
  .rows .code {
    font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
    font-size: 0.934em;
  }
  .rows button {
    flex: none;
    display: grid;
    place-items: center;
    inline-size: 44px;
    block-size: 44px;
    padding: 0;
    border: 1px solid var(--line);
    border-radius: var(--corner);
    color: var(--ink2);
  }
  .rows button.done {
    border-color: var(--good);
    color: var(--good);
  }
  @media (hover: hover) {
    .rows button:hover {
      background: var(--page);
    }
  }
`;

const copyPath = 'M9 9h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM5 15V5a2 2 0 0 1 2-2h8';
const confirmedMs = 2000;

/** Shortens a value but keeps its last characters visible, because people compare numbers by them. */
const folded = (text: string) => html`<i>${text.slice(0, -6)}</i>${text.slice(-6)}`;

function linked({ value, folded: isFolded, href }: Row): unknown {
  const text = isFolded ? folded(value) : value;
  return href ? html`<a href=${href} target="_blank" rel="noopener noreferrer">${text}</a>` : text;
}

/** Creates a function that renders one list of rows with copy buttons. Each list needs its own function. */
export function createRows(context: CheckoutContext): (rows: readonly Row[], name: string) => TemplateResult {
  const strings = () => context.strings.parts?.rows ?? rowStrings;
  let copied = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function copy(event: Event, { copy: text = '', label: words, name: label = words }: Row): Promise<void> {
    const button = event.currentTarget as HTMLElement;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without permission or TLS, selects the text, so that the payer can copy it by keyboard.
      const value = button.parentElement?.querySelector('b');
      if (value) getSelection()?.selectAllChildren(value);
      return announce(context, say(strings().selected, { label }));
    }
    copied = label;
    const sentence = say(strings().copied, { label });
    announce(context, sentence);
    clearTimeout(timer);
    timer = setTimeout(() => {
      copied = '';
      announce(context, context.spoken === sentence ? '' : context.spoken);
    }, confirmedMs);
  }

  function button(row: Row): TemplateResult {
    const { label, name = label } = row;
    const isDone = copied === name;
    return html`<button
      type="button"
      class=${isDone ? 'done' : ''}
      aria-label=${say(isDone ? strings().copied : strings().copy, { label: name })}
      @click=${(event: Event) => copy(event, row)}
    >
      ${drawing(isDone ? 'm5 12.5 4.5 4.5L19 7.5' : copyPath)}
    </button>`;
  }

  return (rows, name) => html`<ul class="rows" part="rows" aria-label=${name}>
    ${rows.map(
      row => html`<li>
        <p>
          <span>${row.label}</span>
          <b class="${row.code ? 'code' : ''} ${row.folded ? 'folded' : ''}"><bdi dir=${row.code ? 'ltr' : nothing}>${linked(row)}</bdi></b>
        </p>
        ${row.copy ? button(row) : nothing}
      </li>`,
    )}
  </ul>`;
}
