import { css } from 'lit';

/** Styles of an invoice's form: fields side by side if there is room, and a frame around each line. */
export const editorStyles = css`
  .two {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr));
    align-items: end;
  }
  .lines {
    display: grid;
    gap: 12px;
  }
  .lines > li {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(100%, 8rem), 1fr));
    gap: 12px;
    align-items: start;
    padding: 14px;
    border: 1px solid var(--line);
    border-radius: 14px;
  }
  .lines textarea {
    min-block-size: 44px;
  }
  .wide {
    grid-column: 1 / -1;
  }
  .check {
    align-self: end;
  }
  .line-buttons {
    display: flex;
    grid-column: 1 / -1;
    justify-content: end;
  }
  .up .icon {
    rotate: 180deg;
  }
  .group summary {
    min-block-size: 44px;
    padding-block: 10px;
    color: var(--accent);
    font-weight: 600;
    cursor: pointer;
  }
  .group summary .hint {
    font-weight: 400;
  }
  .group[open] > .fields {
    padding-block-end: 8px;
  }
  .lack {
    display: block;
    color: var(--warn);
  }
  .methods {
    display: flex;
    flex-wrap: wrap;
    gap: 0 20px;
  }
  .foot {
    display: flex;
    flex-wrap: wrap;
    gap: 8px 16px;
    align-items: center;
    justify-content: space-between;
    padding: 12px 20px;
    border: 1px solid var(--line);
    border-radius: 20px;
    background: var(--card);
  }
  /* On a phone, the navigation bar is at the bottom of the screen. */
  @media (width >= 860px) {
    .foot {
      position: sticky;
      inset-block-end: 0;
      box-shadow: var(--shadow);
    }
  }
`;
