import { css, html, nothing, type TemplateResult } from 'lit';
import { announce, type Desk } from '../desk.ts';
import { say } from '../strings/en.ts';
import { rowStrings } from '../strings/en-rows.ts';
import { drawing } from './icon.ts';

/** One row: what it is called, what it says, and what the copy button puts on the clipboard (nothing without it). */
export interface Row {
  readonly label: string;
  readonly value: string;
  readonly copy?: string;
  /** What the copy button calls it, where the label is more of a sentence. */
  readonly name?: string;
  /** Set in a typeface that tells O from 0. */
  readonly code?: boolean;
  /** On one line: what is too long loses its middle on the screen, and stays whole for who copies or hears it. */
  readonly folded?: boolean;
}

export const rowStyles = css`
  .rows {
    /* What is on one line must not make a shop's column wider than its screen. */
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
    border-radius: 10px;
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

/** The last characters always stay: by them, too, people tell one number from another. */
const folded = (text: string) => html`<i>${text.slice(0, -6)}</i>${text.slice(-6)}`;

/** Rows with copy buttons that confirm themselves. Keep one for each list. */
export function createRows(desk: Desk): (rows: readonly Row[], name: string) => TemplateResult {
  const strings = () => desk.strings.parts?.rows ?? rowStrings;
  let copied = '';
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function copy(event: Event, { copy: text = '', label: words, name: label = words }: Row): Promise<void> {
    const button = event.currentTarget as HTMLElement;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // No permission, or a page without TLS: the payer can still press the keys.
      const value = button.parentElement?.querySelector('b');
      if (value) getSelection()?.selectAllChildren(value);
      return announce(desk, say(strings().selected, { label }));
    }
    copied = label;
    const sentence = say(strings().copied, { label });
    announce(desk, sentence);
    clearTimeout(timer);
    timer = setTimeout(() => {
      copied = '';
      announce(desk, desk.spoken === sentence ? '' : desk.spoken);
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
          <b class="${row.code ? 'code' : ''} ${row.folded ? 'folded' : ''}"><bdi dir=${row.code ? 'ltr' : nothing}>${row.folded ? folded(row.value) : row.value}</bdi></b>
        </p>
        ${row.copy ? button(row) : nothing}
      </li>`,
    )}
  </ul>`;
}
