import { css, html, LitElement, type TemplateResult } from 'lit';
import uPlot from 'uplot';
import { moneyWords, timeWords } from '../controls/values.ts';
import { compactMoney } from './compact-money.ts';
import type { Point } from './figures.ts';

const height = 220;

/** The rules of uPlot's own style sheet that this chart needs, and the styles of the label. */
const chartStyles = css`
  :host {
    display: block;
    position: relative;
    min-block-size: 220px;
  }
  .uplot,
  .uplot * {
    box-sizing: border-box;
  }
  .u-wrap {
    position: relative;
    user-select: none;
  }
  .u-over,
  .u-under,
  .u-axis,
  .u-cursor-x,
  .u-cursor-pt,
  .u-select {
    position: absolute;
  }
  .u-under {
    overflow: hidden;
  }
  canvas {
    display: block;
    position: relative;
    inline-size: 100%;
    block-size: 100%;
  }
  .u-cursor-x {
    inset-block-start: 0;
    inset-inline-start: 0;
    block-size: 100%;
    border-inline-end: 1px solid var(--edge);
    pointer-events: none;
  }
  .u-cursor-pt {
    inset-block-start: 0;
    inset-inline-start: 0;
    border-radius: 50%;
    pointer-events: none;
  }
  .u-off,
  .u-cursor-y {
    display: none;
  }
  output {
    position: absolute;
    inset-block-start: 0;
    inset-inline-end: 0;
    padding: 2px 8px;
    border-radius: 8px;
    background: var(--card);
    color: var(--ink);
    font-size: 0.867rem;
    font-variant-numeric: tabular-nums;
  }
`;

/** `<pay-volume-chart .points currency>`: amounts over time. The pointer shows the amount of a day. */
class VolumeChart extends LitElement {
  static override readonly properties = { points: { attribute: false }, currency: {}, at: { state: true } };
  static override readonly styles = chartStyles;

  declare points: readonly Point[];
  declare currency: string;
  /** The index of the point at the pointer. Null without a pointer on the chart. */
  declare at: number | null;
  #chart: uPlot | undefined;
  readonly #size = new ResizeObserver(() => this.#draw());
  readonly #scheme = matchMedia('(prefers-color-scheme: dark)');
  readonly #repaint = () => this.#draw(true);

  constructor() {
    super();
    this.points = [];
    this.currency = 'EUR';
    this.at = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#size.observe(this);
    this.#scheme.addEventListener('change', this.#repaint);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#size.disconnect();
    this.#scheme.removeEventListener('change', this.#repaint);
    this.#chart?.destroy();
    this.#chart = undefined;
  }

  override updated(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('points') || changed.has('currency')) this.#draw(true);
  }

  /** Draws the chart for the current width. `again`: the data or colours have changed. */
  #draw(again = false): void {
    const width = this.clientWidth;
    const place = this.renderRoot.querySelector<HTMLElement>('.place');
    if (width === 0 || place === null) return;
    if (this.#chart !== undefined && !again) {
      this.#chart.setSize({ width, height });
      return;
    }
    this.#chart?.destroy();
    const times = this.points.map(({ at }) => Date.parse(at) / 1000);
    this.#chart = new uPlot(this.#options(width), [times, this.points.map(({ amount }) => amount)], place);
  }

  #options(width: number): uPlot.Options {
    const style = getComputedStyle(this);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim() || '#888';
    const axis = { stroke: colour('ink3'), font: `12px ${style.fontFamily}`, ticks: { show: false } };
    const grid = { stroke: colour('line'), width: 1 };
    const short = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
    return {
      width,
      height,
      legend: { show: false },
      padding: [16, 8, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 8, fill: colour('accent') } },
      scales: { y: { range: (_chart, _least, most) => [0, most > 0 ? most * 1.1 : 100] } },
      series: [{}, { stroke: colour('accent'), width: 2, fill: colour('soft'), points: { show: false } }],
      axes: [
        {
          ...axis,
          grid: { show: false },
          size: 28,
          space: 90,
          values: (_chart, times) => times.map(time => short.format(time * 1000)),
        },
        {
          ...axis,
          grid,
          size: 64,
          space: 50,
          values: (_chart, sums) => sums.map(sum => compactMoney(sum, this.currency)),
        },
      ],
      hooks: {
        setCursor: [
          chart => {
            this.at = chart.cursor.idx ?? null;
          },
        ],
      },
    };
  }

  override render(): TemplateResult {
    const point = this.at === null ? undefined : this.points[this.at];
    const text = point === undefined ? '' : `${timeWords(point.at, 'day')}: ${moneyWords(point.amount, this.currency)}`;
    return html`<div class="place" aria-hidden="true"></div><output aria-live="off">${text}</output>`;
  }
}

customElements.define('pay-volume-chart', VolumeChart);
