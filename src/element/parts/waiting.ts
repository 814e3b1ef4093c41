import { css, html, type TemplateResult } from 'lit';

export const waitingStyles = css`
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
`;

/** What is waited for, and that nobody has to stay for it. It does not move: nothing has happened yet. */
export function waiting(forWhat: string, leave: string): TemplateResult {
  return html`<p class="wait"><span class="dot"></span>${forWhat}<small>${leave}</small></p>`;
}
