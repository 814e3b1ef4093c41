import { css } from 'lit';
import { choiceStyles } from '../parts/choices.styles.ts';
import { qrFigureStyles } from '../parts/qr-figure.ts';
import { rowStyles } from '../parts/rows.ts';
import { waitingStyles } from '../parts/waiting.ts';

export const styles = css`
  ${rowStyles}
  ${choiceStyles}
  ${qrFigureStyles}
  ${waitingStyles}
  .coins .choice {
    position: relative;
  }
  .coins input {
    position: absolute;
    opacity: 0;
  }
  .coins .choice:has(:disabled) {
    border-style: dashed;
    color: var(--ink3);
    cursor: default;
  }
  .coin {
    inline-size: 32px;
    block-size: 32px;
    fill: #fff;
    stroke: none;
    font: 700 15px system-ui, sans-serif;
    text-anchor: middle;
    direction: ltr;
  }
  .coins span {
    flex-basis: 5em;
  }
  .coins b {
    margin-inline-start: auto;
  }
  legend small {
    display: block;
  }
  .paying {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
    justify-content: space-between;
  }
  .pill {
    display: flex;
    gap: 8px;
    align-items: center;
    padding-block: 5px;
    padding-inline: 5px 14px;
    border: 1px solid var(--line);
    border-radius: 24px;
    font-weight: 500;
  }
  .large .qr {
    inline-size: 264px;
  }
  .fine,
  legend small,
  details p {
    color: var(--ink3);
    font-size: 0.867em;
  }
  summary {
    padding-block: 11px;
    color: var(--ink2);
    cursor: pointer;
  }
  details .rows {
    margin-block-start: 10px;
  }
  @media (forced-colors: active) {
    .coins .choice:has(:checked) {
      outline: 3px solid Highlight;
    }
  }
`;
