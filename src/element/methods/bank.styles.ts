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
