import { chromium } from 'playwright';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { serveBenchPages } from './bench-pages.ts';
import { loadPage, type PageLoad } from './page-load.ts';
import { type Measure, median } from './table.ts';

const rounds = 7;

/** Each page, and the selectors of its first method through the shadow trees. */
const pages = {
  ours: ['pay-checkout', '[role=tab]'],
  // Adyen's methods are in its page, so this page contains the payment and its methods too.
  opened: ['pay-checkout', '[role=tab]'],
  adyen: ['.adyen-checkout__dropin--ready .adyen-checkout__payment-method__header button'],
  bare: ['bare-checkout', '[role=tab]'],
} as const;
type PageName = keyof typeof pages;
type Round = Readonly<Record<PageName, PageLoad>>;

/**
 * Makes V8 record source positions when it compiles. By default, V8 parses a script again when something needs the
 * positions. The DevTools protocol needs them at each call of a page, but payers have no DevTools open.
 */
const allPositions = '--js-flags=--no-enable-lazy-source-positions';

/** Forbids pages to reach another machine. */
const onlyThisMachine = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost';

/**
 * Time to interactive and blocking time of a page with the element, compared with Adyen's drop-in and with a bare Lit
 * page of the same form. The pages load in turn.
 */
export async function benchBrowser(): Promise<Measure[]> {
  const { url, close } = await serveBenchPages();
  const executablePath = findBrowser();
  const args = [...browserArgs, allPositions, onlyThisMachine];
  const browser = await chromium.launch({ args, ...(executablePath === null ? {} : { executablePath }) });
  const load = (name: PageName) => loadPage(browser, { url: `${url}/${name}.html`, method: pages[name] });
  const results: Round[] = [];
  for (let round = 0; round <= rounds; round++) {
    const ours = { ours: await load('ours'), opened: await load('opened') };
    const result = { ...ours, adyen: await load('adyen'), bare: await load('bare') };
    // The first round only warms the browser up.
    if (round > 0) results.push(result);
  }
  await browser.close();
  close();
  for (const name of Object.keys(pages) as PageName[]) console.log(`  ${name.padEnd(6)} ${describe(results, name)}`);
  const readyAgainst = (other: PageName, page: PageName = 'ours') =>
    median(results.map(round => round[page].readyMs / round[other].readyMs));
  const blocking = (name: PageName) => median(results.map(round => round[name].blockingMs));
  return [
    measure('time to interactive against a bare Lit page', readyAgainst('bare'), 1.15),
    measure('blocking time against a bare Lit page', blocking('ours') / Math.max(1, blocking('bare')), 1.3),
    measure('time to interactive against Adyen’s drop-in', readyAgainst('adyen', 'opened'), 0.5, ' (moonshot 0.47×)'),
    measure('the same, while only Adyen’s methods are in the page', readyAgainst('adyen'), 0.5),
  ];
}

function describe(results: readonly Round[], name: PageName): string {
  const of = (figure: keyof PageLoad) => median(results.map(round => round[name][figure]));
  const times = `ready ${of('readyMs').toFixed(0)} ms, blocking ${of('blockingMs').toFixed(0)} ms`;
  return `${times}, ${of('requests')} requests, ${(of('bytes') / 1000).toFixed(1)} kB`;
}

function measure(name: string, ratio: number, goal: number, more = ''): Measure {
  const target = `at most ${goal.toFixed(2)}×${more}`;
  return { name, value: `${ratio.toFixed(2)}×`, target, met: ratio <= goal };
}
