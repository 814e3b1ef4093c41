import { payeeCount } from '../payroll.ts';
import type { RunView } from '../server/payout-view.ts';
import { h } from './dom.ts';

/** The section that shows how far a run is. */
export interface Progress {
  readonly element: HTMLElement;
  /** Shows a heading and a sentence in the tone `good`, `warn`, `bad` or none. */
  tell(tone: string, heading: string, sentence: string): void;
  /** Shows a run that is about to start. */
  begin(): void;
  show(run: RunView): void;
}

const states = [
  ['waiting', 'Waiting'],
  ['sending', 'On the way'],
  ['arrived', 'Arrived'],
  ['failed', 'Failed'],
] as const;

/** After this time the page says that the run is slow. */
const slowMs = 60_000;
/** The figures before a run, and after a refused call. */
const nothingSent = { total: payeeCount, waiting: 0, sending: 0, arrived: 0, failed: 0, failures: [] } as const;

/** Creates the section. Its parts never move; only the failures appear later. */
export function createProgress(): Progress {
  const { element, title, text, said, time, results, draw } = parts();
  let quarter = 0;
  let hasFailures = false;

  function tell(tone: string, heading: string, sentence: string): void {
    if (title.textContent !== heading) said.textContent = `${heading}. ${sentence}`;
    title.textContent = heading;
    text.textContent = sentence;
    element.dataset['tone'] = tone;
    if (tone === 'bad') draw(nothingSent);
  }

  /** Announces only each quarter of the run and the first failures to screen readers, because numbers change often. */
  function announce({ arrived, failed, total, ended }: RunView): void {
    const reached = Math.floor((4 * (arrived + failed)) / total);
    const isNews = reached > quarter || (failed > 0 && !hasFailures);
    const failedText = failed === 0 ? '' : ` ${count(failed)} failed.`;
    if (isNews && !ended) said.textContent = `${count(arrived)} of ${count(total)} have arrived.${failedText}`;
    quarter = reached;
    hasFailures = failed > 0;
  }

  return {
    element,
    tell,
    begin() {
      results.classList.add('unseen');
      quarter = 0;
      hasFailures = false;
      time.textContent = '0 s';
      draw({ ...nothingSent, waiting: payeeCount });
      tell('', 'Sending the list', 'The shop opens the Stellar wallets, puts test money into its balance and calls.');
      const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
      element.scrollIntoView({ behavior, block: 'nearest' });
    },
    show(run) {
      results.classList.toggle('unseen', !run.hasResults);
      results.setAttribute('href', `/demo/api/payouts/${run.id}/results.csv`);
      time.textContent = run.ended ? seconds(run.elapsedMs) : `${Math.floor(run.elapsedMs / 1_000)} s`;
      draw(run);
      announce(run);
      if (run.ended) tell(run.failed === 0 ? 'good' : 'warn', ...ending(run));
      else tell('', `Paying ${count(run.total)} people`, run.elapsedMs > slowMs ? slowText : runningText);
    },
  };
}

type Figures = Pick<RunView, 'total' | 'waiting' | 'sending' | 'arrived' | 'failed' | 'failures'>;

function parts() {
  const title = h('h2', { id: 'progress-title' }, 'Nothing is sent yet');
  const text = h('p.payouts-text', 'Press the button and watch the money arrive. Opening this page sends no money.');
  const said = h('p', { class: 'said', 'aria-live': 'polite' });
  const { bar, drawBar } = createBar();
  const figures = { waiting: h('dd.figure'), sending: h('dd.figure'), arrived: h('dd.figure'), failed: h('dd.figure') };
  const counts = states.map(([state, word]) => h('div', h('dt', { class: `state ${state}` }, word), figures[state]));
  const time = h('span.figure', '0 s');
  const results = h('a', { class: 'button quiet small unseen' }, 'Results as CSV');
  const failures = h('ul.payouts-failures');
  const failed = h('div', { hidden: true }, h('h3.payouts-failed', 'The first that failed'), failures);
  const element = h(
    'section',
    { class: 'payouts-card', 'aria-labelledby': 'progress-title' },
    ...[title, text, bar, h('dl.payouts-counts', ...counts)],
    h('div.payouts-foot', h('p.second', 'Time: ', time), results),
    failed,
    said,
  );
  const draw = (run: Figures) => {
    drawBar(run);
    for (const [state] of states) figures[state].textContent = count(run[state]);
    const lines = run.failures.map(({ name, where, reason }) => h('li', h('strong', name), `, ${where}: ${reason}`));
    failures.replaceChildren(...lines);
    failed.hidden = lines.length === 0;
  };
  draw(nothingSent);
  return { element, title, text, said, time, results, draw };
}

/** A bar of three layers. The layers are scaled, because that needs no new page layout. */
function createBar() {
  const layers = { sending: h('div.layer.sending'), failed: h('div.layer.failed'), arrived: h('div.layer.arrived') };
  const bar = h(
    'div',
    { class: 'payouts-bar', role: 'progressbar', 'aria-label': 'Payouts that have ended' },
    ...Object.values(layers),
  );
  const drawBar = ({ total, sending, arrived, failed }: Figures) => {
    const reach = { arrived, failed: arrived + failed, sending: arrived + failed + sending };
    for (const name of ['arrived', 'failed', 'sending'] as const) {
      layers[name].style.transform = `scaleX(${reach[name] / total})`;
    }
    bar.setAttribute('aria-valuemax', String(total));
    bar.setAttribute('aria-valuenow', String(arrived + failed));
  };
  return { bar, drawBar };
}

const runningText = 'The service checks, books and sends each payout. You may reload or leave this page.';
const slowText = 'This takes longer than usual. The service goes on, also when you leave this page.';

function ending({ arrived, failed, elapsedMs }: RunView): [title: string, text: string] {
  const paid = `${count(arrived)} paid in ${seconds(elapsedMs)}`;
  if (failed === 0) return [paid, 'All of them have their money. One call did it.'];
  return [paid, `${count(failed)} failed. Their money is back in the shop’s balance.`];
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} s`;
}

/** A number with separators: 1,000. */
export function count(number: number): string {
  return number.toLocaleString('en');
}
