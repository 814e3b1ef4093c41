import { css, html, nothing, type TemplateResult } from 'lit';
import { type Tone, toneClass } from './status-chip.ts';
import { timeText, timeWords } from './values.ts';

/** An entry of a timeline. */
export interface Moment {
  readonly at: string;
  /** What happened, in two or three words. */
  readonly title: string | TemplateResult;
  /** One sentence with the details. */
  readonly text?: string | TemplateResult | typeof nothing;
  readonly tone?: Tone;
  /** Content that is shown when the entry is opened: raw data, attempts, hashes. */
  readonly more?: TemplateResult;
}

/** Styles of `timeline`. Add them to `static styles` of the page. */
export const timelineStyles = css`
  .timeline > li {
    position: relative;
    padding: 0 0 12px 28px;
  }
  .timeline > li::before {
    position: absolute;
    inset-block: 8px -8px;
    inset-inline-start: 7px;
    inline-size: 2px;
    background: var(--line);
    content: "";
  }
  .timeline > li:last-child::before {
    display: none;
  }
  .timeline > li::after {
    position: absolute;
    inset-block-start: 5px;
    inset-inline-start: 1px;
    inline-size: 14px;
    block-size: 14px;
    border: 2px solid var(--edge);
    border-radius: 50%;
    background: var(--card);
    content: "";
  }
  .timeline > li.good::after {
    border-color: var(--good);
    background: var(--good);
  }
  .timeline > li.busy::after {
    border-color: var(--accent);
    background: var(--accent);
  }
  .timeline > li.warn::after {
    border-color: var(--warn);
    background: var(--warn);
  }
  .timeline > li.bad::after {
    border-color: var(--bad);
    background: var(--bad);
  }
  .moment {
    display: flex;
    gap: 4px 16px;
    align-items: baseline;
    justify-content: space-between;
  }
  .moment h3 {
    min-inline-size: 0;
  }
  .moment time {
    flex: none;
    color: var(--ink3);
    font-size: 0.867rem;
  }
  .timeline p {
    color: var(--ink2);
    overflow-wrap: anywhere;
  }
  .timeline summary {
    display: inline-flex;
    align-items: center;
    min-block-size: 28px;
    color: var(--accent);
    font-size: 0.867rem;
    font-weight: 550;
    cursor: pointer;
  }
  @media (width < 620px) {
    .timeline summary {
      min-block-size: 44px;
    }
  }
  .timeline summary::marker,
  .timeline summary::-webkit-details-marker {
    content: "";
    display: none;
  }
  .timeline details[open] summary {
    margin-block-end: 4px;
  }
  .timeline .day {
    padding: 0 0 10px 28px;
    color: var(--ink3);
    font-size: 0.867rem;
  }
  .timeline .day::after {
    display: none;
  }
`;

/** A timeline. `moments` are in order, newest first. A line with the date separates days. */
export function timeline(moments: readonly Moment[]): TemplateResult {
  let day = moments[0] === undefined ? '' : timeWords(moments[0].at, 'day');
  return html`<ol class="timeline">
    ${moments.map(moment => {
      const own = timeWords(moment.at, 'day');
      const mark = own === day ? nothing : html`<li class="day">${own}</li>`;
      day = own;
      return html`${mark}${oneMoment(moment)}`;
    })}
  </ol>`;
}

const nameOf = (title: Moment['title']) => (typeof title === 'string' ? `${title}, ` : '');

function oneMoment({ at, title, text = nothing, tone = 'plain', more }: Moment): TemplateResult {
  return html`<li class=${toneClass(tone)}>
    <div class="moment"><h3>${title}</h3>${timeText(at, 'clock')}</div>
    ${text === nothing ? nothing : html`<p>${text}</p>`}
    ${more === undefined ? nothing : html`<details><summary aria-label=${`Details, ${nameOf(title)}${timeWords(at, 'full')}`}>Details</summary>${more}</details>`}
  </li>`;
}
