import { type CSSResult, css } from 'lit';
import { layoutStyles } from './layout.styles.ts';

const sheet = css`
  :host {
    display: block;
    min-inline-size: 0;
  }
  [hidden],
  :host([hidden]) {
    display: none !important;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  h1,
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd,
  figure,
  fieldset {
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  h1 {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 12px;
    align-items: center;
    font-size: 1.5rem;
    font-weight: 650;
    letter-spacing: -0.01em;
    line-height: 1.25;
    overflow-wrap: anywhere;
  }
  h1:focus {
    outline: none;
  }
  [popover] {
    margin: 0;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: 16px;
    background: var(--card);
    color: var(--ink);
    box-shadow: var(--shadow);
  }
  h2 {
    font-size: 1.067rem;
    font-weight: 650;
    line-height: 1.3;
  }
  h3 {
    font-size: 1rem;
    font-weight: 600;
  }
  a {
    color: var(--accent);
    text-underline-offset: 0.2em;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
  button,
  input,
  select,
  textarea {
    color: inherit;
    font: inherit;
  }
  button {
    padding: 0;
    border: 0;
    background: none;
    cursor: pointer;
    touch-action: manipulation;
  }
  button:disabled {
    cursor: default;
    opacity: 0.55;
  }
  .icon {
    flex: none;
    inline-size: 1.25em;
    block-size: 1.25em;
    fill: none;
    stroke: currentColor;
    stroke-width: 1.7;
    stroke-linecap: round;
    stroke-linejoin: round;
  }
  .quiet {
    position: absolute;
    inline-size: 1px;
    block-size: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .figure,
  .num {
    font-variant-numeric: tabular-nums;
  }
  .figure {
    white-space: nowrap;
  }
  .second-line,
  .hint {
    color: var(--ink3);
    font-size: 0.867rem;
  }
  .mono {
    font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
    font-size: 0.92em;
    overflow-wrap: anywhere;
  }

  /* Buttons. A link may look like one. */
  .main,
  .second,
  .plain,
  .danger {
    display: inline-flex;
    gap: 8px;
    align-items: center;
    justify-content: center;
    min-block-size: 44px;
    padding: 8px 16px;
    border: 1px solid transparent;
    border-radius: 12px;
    font-weight: 600;
    text-align: center;
    text-decoration: none;
  }
  .main {
    background: var(--accent);
    color: var(--accent-ink);
  }
  .danger {
    background: var(--bad);
    color: var(--card);
  }
  .second {
    border-color: var(--line);
    background: var(--card);
    color: var(--ink);
  }
  .plain {
    padding-inline: 10px;
    color: var(--accent);
  }
  .icon-button {
    display: inline-grid;
    place-items: center;
    min-inline-size: 44px;
    min-block-size: 44px;
    border-radius: 12px;
    color: var(--ink2);
  }
  @media (hover: hover) {
    .main:not(:disabled):hover,
    .danger:not(:disabled):hover {
      filter: brightness(1.06);
    }
    .second:not(:disabled):hover,
    .icon-button:hover {
      background: var(--page);
    }
    .plain:hover {
      text-decoration: underline;
    }
  }

  /* Form fields: label above, hint below it, the error below the input. */
  .field {
    display: grid;
    gap: 4px;
    align-content: start;
  }
  .field label,
  .label {
    font-weight: 550;
  }
  .field .error {
    color: var(--bad);
    font-size: 0.933rem;
  }
  .input {
    inline-size: 100%;
    min-block-size: 44px;
    padding: 8px 12px;
    border: 1px solid var(--edge);
    border-radius: 10px;
    background: var(--field);
    color: var(--ink);
    font-size: 16px;
  }
  textarea.input {
    min-block-size: 88px;
    resize: vertical;
  }
  .input[aria-invalid="true"] {
    border-color: var(--bad);
  }
  .input::placeholder {
    color: var(--ink3);
    opacity: 1;
  }
  ::file-selector-button {
    min-block-size: 40px;
    margin-inline-end: 12px;
    padding: 6px 14px;
    border: 1px solid var(--edge);
    border-radius: 10px;
    background: var(--card);
    color: var(--ink);
    font: inherit;
    font-weight: 550;
    cursor: pointer;
  }
  .check {
    display: flex;
    gap: 10px;
    align-items: center;
    min-block-size: 44px;
  }
  .check input {
    flex: none;
    inline-size: 20px;
    block-size: 20px;
    margin: 0;
    accent-color: var(--accent);
  }
  .fields {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    gap: 14px;
  }

  /* Chips: colour means state and nothing else. */
  .chip {
    display: inline-block;
    padding: 2px 10px;
    border-radius: 999px;
    background: var(--neutral-soft);
    color: var(--ink2);
    font-size: 0.833rem;
    font-weight: 600;
    white-space: nowrap;
  }
  .chip.good {
    background: var(--good-soft);
    color: var(--good);
  }
  .chip.warn {
    background: var(--warn-soft);
    color: var(--warn);
  }
  .chip.bad {
    background: var(--bad-soft);
    color: var(--bad);
  }
  .chip.busy {
    background: var(--soft);
    color: var(--accent);
  }

  /* Notes. */
  .note {
    padding: 12px 14px;
    border-radius: 12px;
    background: var(--soft);
    color: var(--ink2);
    overflow-wrap: anywhere;
  }
  .note strong {
    color: var(--ink);
    font-weight: 650;
  }
  .note.warn,
  .note.warn strong {
    background: var(--warn-soft);
    color: var(--warn);
  }
  .note.bad,
  .note.bad strong {
    background: var(--bad-soft);
    color: var(--bad);
  }
  .note .second-line,
  .note:is(.warn, .bad) a {
    color: inherit;
  }
  .note .plain {
    min-block-size: 32px;
    padding: 0;
    color: inherit;
    text-decoration: underline;
  }

  /* Key and value. */
  .pairs > div {
    display: flex;
    gap: 4px 16px;
    align-items: baseline;
    justify-content: space-between;
    padding-block: 10px;
    border-block-start: 1px solid var(--line);
  }
  .pairs > div:first-child {
    border-block-start: 0;
    padding-block-start: 0;
  }
  .pairs > div:last-child {
    padding-block-end: 0;
  }
  .pairs dt {
    flex: none;
    max-inline-size: 60%;
    color: var(--ink2);
  }
  .pairs dd {
    min-inline-size: 0;
    font-weight: 550;
    text-align: end;
    overflow-wrap: anywhere;
  }

  /* A plain table inside a dialog or a card. */
  .rows {
    inline-size: 100%;
    border-collapse: collapse;
  }
  .rows th {
    color: var(--ink2);
    font-size: 0.867rem;
    font-weight: 450;
    text-align: start;
  }
  .rows :is(th, td) {
    padding: 10px 8px;
    border-block-end: 1px solid var(--line);
    vertical-align: baseline;
  }
  .rows tr:last-child > td,
  .rows tr:last-child > th[scope="row"] {
    border-block-end: 0;
  }
  .rows th[scope="row"] {
    inline-size: 40%;
  }
  .rows .end {
    text-align: end;
  }
  @media (forced-colors: active) {
    .chip,
    .main,
    .danger,
    .note {
      border: 1px solid;
    }
  }
`;

/** The styles that pages and controls share. Colours are in `dashboard.css`. */
export const controlStyles: CSSResult[] = [sheet, layoutStyles];
