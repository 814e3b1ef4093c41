import { css } from 'lit';

/** One of several, each a line that can be pressed: what it is, and what it costs. */
export const choiceStyles = css`
  fieldset {
    display: grid;
    gap: 8px;
    min-inline-size: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    margin-block-end: 6px;
    padding: 0;
    color: var(--ink2);
    font-size: 0.934em;
  }
  .choice {
    display: flex;
    flex-wrap: wrap;
    gap: 2px 12px;
    align-items: center;
    min-block-size: 60px;
    padding: 8px 14px;
    border: 1px solid var(--line);
    border-radius: var(--control);
    cursor: pointer;
  }
  .choice:has(:checked) {
    border-color: var(--accent-text);
    box-shadow: inset 0 0 0 1px var(--accent-text);
  }
  .choice:has(:focus-visible) {
    outline: 3px solid var(--accent-text);
    outline-offset: 2px;
  }
  .choice input {
    inline-size: 18px;
    block-size: 18px;
    margin: 0;
    accent-color: var(--accent-text);
    outline: 0;
  }
  .choice span {
    flex: 1 1 8em;
    min-inline-size: 0;
    font-weight: 500;
  }
  .choice small {
    display: block;
    color: var(--ink3);
    font-size: 0.867em;
    font-weight: 400;
  }
  .choice b {
    font-weight: 500;
    font-variant-numeric: tabular-nums;
  }
`;
