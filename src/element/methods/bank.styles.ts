import { css } from 'lit';
import { rowStyles } from '../parts/rows.ts';

export const styles = css`
  ${rowStyles}
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
  figure {
    display: grid;
    gap: 8px;
    justify-items: center;
    margin: 0;
    color: var(--ink3);
    font-size: 0.867em;
    text-align: center;
  }
  .qr {
    inline-size: 212px;
    block-size: 212px;
    border: 1px solid var(--line);
    border-radius: 16px;
    background: #fff;
    fill: #000;
    stroke: none;
    forced-color-adjust: none;
  }
  .wait {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 0 10px;
    align-items: center;
    color: var(--ink2);
  }
  .wait small {
    grid-column: 2;
    color: var(--ink3);
    font-size: 0.867em;
  }
  .dot {
    inline-size: 8px;
    block-size: 8px;
    margin: 4px;
    border-radius: 50%;
    background: var(--accent-text);
    box-shadow: 0 0 0 4px var(--soft);
  }
  .test {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    padding-block-start: 14px;
    border-block-start: 1px dashed var(--line);
    color: var(--ink3);
    font-size: 0.867em;
  }
  .test p {
    flex: 1 0 100%;
  }
  .test .second {
    flex: 1 1 9em;
    inline-size: auto;
  }
`;
