import { chromium } from 'playwright';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { serveBenchPages } from './bench-pages.ts';
import { loadPage, type PageLoad } from './page-load.ts';
import { type Measure, median } from './table.ts';

const rounds = 7;

/** Time to interactive and blocking time of a page with the element, compared with a bare Lit page of the same form. */
export async function benchBrowser(): Promise<Measure[]> {
  const { url, close } = await serveBenchPages();
  const executablePath = findBrowser();
  const browser = await chromium.launch({ args: browserArgs, ...(executablePath === null ? {} : { executablePath }) });
  const pairs: { ours: PageLoad; bare: PageLoad }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const ours = await loadPage(browser, `${url}/ours.html`, 'pay-checkout');
    const floor = await loadPage(browser, `${url}/bare.html`, 'bare-checkout');
    if (round > 0) pairs.push({ ours, bare: floor });
  }
  await browser.close();
  close();
  const ready = median(pairs.map(pair => pair.ours.readyMs / pair.bare.readyMs));
  const blocking =
    median(pairs.map(pair => pair.ours.blockingMs)) / Math.max(1, median(pairs.map(pair => pair.bare.blockingMs)));
  const shown = (pick: (pair: (typeof pairs)[number]) => number) => median(pairs.map(pick)).toFixed(0);
  console.log(
    `  ready ${shown(p => p.ours.readyMs)} ms, bare ${shown(p => p.bare.readyMs)} ms; blocking ${shown(p => p.ours.blockingMs)} ms, bare ${shown(p => p.bare.blockingMs)} ms`,
  );
  return [
    {
      name: 'time to interactive against a bare Lit page',
      value: `${ready.toFixed(2)}×`,
      target: 'at most 1.15×',
      met: ready <= 1.15,
    },
    {
      name: 'blocking time against a bare Lit page',
      value: `${blocking.toFixed(2)}×`,
      target: 'at most 1.3×',
      met: blocking <= 1.3,
    },
  ];
}
