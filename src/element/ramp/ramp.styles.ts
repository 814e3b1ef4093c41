import { css } from 'lit';

/** Styles of the widget, beside those of forms and buttons of the checkout. */
export const rampStyles = css`
  h2 {
    font-size: 1.2em;
    font-weight: 650;
    text-wrap: balance;
  }
  form select,
  form textarea {
    inline-size: 100%;
    min-block-size: 48px;
    padding: 8px 14px;
    border: 1px solid var(--edge);
    border-radius: var(--corner);
    background: var(--field);
    color: var(--ink);
    font: inherit;
    font-size: calc(1em / 0.9375);
  }
  form [aria-invalid="true"] {
    border-color: var(--bad);
  }
  form input[type="file"] {
    padding-block: 11px;
  }
  .pair {
    display: flex;
    gap: 8px;
    align-items: stretch;
  }
  .pair input {
    flex: 1;
    min-inline-size: 0;
    font-size: 1.25em;
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .pair b,
  .pair select {
    flex: none;
    inline-size: auto;
    min-inline-size: 5.5em;
    padding-inline: 12px;
  }
  .pair b {
    display: grid;
    place-items: center;
    color: var(--ink2);
  }
  fieldset {
    min-inline-size: 0;
    padding: 0;
    border: 0;
  }
  legend {
    margin-block-end: 6px;
    padding: 0;
    color: var(--ink2);
    font-size: 0.934em;
  }
  .choices {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 7.5em), 1fr));
    gap: 8px;
  }
  form .choices label {
    position: relative;
    display: flex;
    gap: 8px;
    align-items: center;
    justify-content: center;
    min-block-size: 48px;
    margin: 0;
    padding: 6px 10px;
    border: 1px solid var(--edge);
    border-radius: var(--control);
    color: var(--ink);
    font-size: 1em;
    text-align: center;
    cursor: pointer;
  }
  form .choices input {
    position: absolute;
    inset: 0;
    inline-size: 100%;
    min-block-size: 0;
    opacity: 0;
    cursor: pointer;
  }
  .choices label:has(:checked) {
    border-color: var(--accent-text);
    background: var(--soft);
    color: var(--accent-text);
    font-weight: 600;
  }
  .choices label:has(:focus-visible) {
    outline: 3px solid var(--accent-text);
    outline-offset: 2px;
  }
  .facts {
    display: grid;
    gap: 4px;
    margin: 0;
    padding: 12px 14px;
    border-radius: var(--control);
    background: var(--page);
    color: var(--ink2);
    font-size: 0.934em;
    font-variant-numeric: tabular-nums;
  }
  .facts div {
    display: flex;
    gap: 12px;
    justify-content: space-between;
  }
  .facts dd {
    margin: 0;
    color: var(--ink);
    text-align: end;
  }
  .summary {
    display: grid;
    gap: 2px;
  }
  .summary p {
    color: var(--ink2);
    font-variant-numeric: tabular-nums;
  }
  .hint {
    margin-block-start: 6px;
    color: var(--ink3);
    font-size: 0.934em;
  }
  form .plain {
    justify-self: start;
    margin-block-start: -10px;
    padding-inline: 0;
  }
  summary {
    min-block-size: 32px;
    color: var(--accent-text);
    cursor: pointer;
  }
  details > div {
    display: grid;
    gap: 12px;
    padding-block-start: 8px;
  }
  .code {
    font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace;
    font-size: 0.934em;
  }
  ol {
    display: grid;
    gap: 12px;
    margin: 0;
    padding: 0;
    list-style: none;
  }
  ol li {
    display: flex;
    gap: 10px;
    align-items: center;
    color: var(--ink3);
  }
  ol i {
    flex: none;
    display: grid;
    place-items: center;
    inline-size: 24px;
    block-size: 24px;
    border: 2px solid var(--line);
    border-radius: 50%;
  }
  ol .spin {
    inline-size: 14px;
    block-size: 14px;
  }
  ol .done,
  ol [aria-current] {
    color: var(--ink);
  }
  ol .done i {
    border-color: var(--good);
    color: var(--good);
  }
  a {
    color: var(--accent-text);
    text-underline-offset: 0.2em;
  }
  pay-checkout {
    max-width: none;
  }
  pay-checkout::part(card) {
    padding: 0;
    border: 0;
    background: none;
    box-shadow: none;
  }
  pay-checkout::part(header),
  pay-checkout::part(footer) {
    display: none;
  }
`;
