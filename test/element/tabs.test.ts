import { expect } from '@open-wc/testing';
import { chunks } from '../../src/element/chunks.ts';
import { type Mounted, mount, serviceOf, tidyUp } from './support/mounted.ts';

afterEach(() => {
  document.documentElement.dir = '';
  tidyUp();
});

async function ready(): Promise<Mounted> {
  const checkout = await mount(serviceOf());
  await checkout.waitForButton('Pay €128.40');
  checkout.element.shadowRoot?.querySelector<HTMLElement>('[aria-selected=true]')?.focus();
  return checkout;
}

describe('<pay-checkout> and its tabs', () => {
  const walks = [
    { dir: 'ltr', keys: ['ArrowRight'], to: 'Bank' },
    { dir: 'ltr', keys: ['ArrowLeft'], to: 'Bank' },
    { dir: 'ltr', keys: ['ArrowRight', 'ArrowRight'], to: 'Card' },
    { dir: 'ltr', keys: ['End'], to: 'Bank' },
    { dir: 'ltr', keys: ['End', 'Home'], to: 'Card' },
    { dir: 'rtl', keys: ['ArrowLeft'], to: 'Bank' },
    { dir: 'rtl', keys: ['ArrowLeft', 'ArrowRight'], to: 'Card' },
    { dir: 'ltr', keys: ['ArrowDown', 'a', 'Tab'], to: 'Card' },
  ];
  for (const { dir, keys, to } of walks) {
    it(`selects ${to} after the keys ${keys.join(', ')} in direction ${dir}`, async () => {
      document.documentElement.dir = dir;
      const checkout = await ready();
      for (const key of keys) await checkout.pressKey(key);
      expect(checkout.chosenTab()).to.equal(to);
      const root = checkout.element.shadowRoot as ShadowRoot;
      expect(root.activeElement?.textContent?.trim()).to.equal(to);
      const stops = [...root.querySelectorAll<HTMLElement>('[role=tab]')].filter(({ tabIndex }) => tabIndex === 0);
      expect(stops.map(({ textContent }) => textContent?.trim())).to.deep.equal([to]);
    });
  }

  it('connects each tab to its panel, and hides the other panels from screen readers too', async () => {
    const checkout = await ready();
    await checkout.chooseTab('Bank');
    await checkout.waitForButton('Show bank details');
    const root = checkout.element.shadowRoot as ShadowRoot;
    const panels = [...root.querySelectorAll<HTMLElement>('[role=tabpanel]')];
    expect(panels.map(({ hidden }) => hidden)).to.deep.equal([true, false]);
    for (const panel of panels) {
      const tab = root.getElementById(panel.getAttribute('aria-labelledby') ?? '');
      expect(tab?.getAttribute('aria-controls')).to.equal(panel.id);
    }
    await expect(checkout.element).shadowDom.to.be.accessible();
  });

  it('refers from a tab to its panel only once the panel exists', async () => {
    const views = chunks.views as { panels: () => Promise<unknown> };
    const load = views.panels;
    let arrive = () => {};
    const arrival = new Promise<void>(resolve => {
      arrive = resolve;
    });
    views.panels = async () => await arrival.then(load);
    const checkout = await mount(serviceOf());
    await checkout.waitFor('Bank');
    const panel = () =>
      checkout.element.shadowRoot?.querySelector('[aria-selected=true]')?.getAttribute('aria-controls');
    expect(panel()).to.equal(null);
    await expect(checkout.element).shadowDom.to.be.accessible();
    views.panels = load;
    arrive();
    await checkout.waitForButton('Pay €128.40');
    expect(panel()).to.equal('panel-card');
  });

  it('remembers the payer’s method, and sends an event only when it changes', async () => {
    const first = await ready();
    await first.chooseTab('Bank');
    expect(first.events.filter(({ name }) => name === 'pay-method').map(({ detail }) => detail)).to.deep.equal([
      { method: 'bank_transfer' },
    ]);
    first.element.remove();
    const second = await mount(serviceOf());
    await second.waitForButton('Show bank details');
    expect(second.chosenTab()).to.equal('Bank');
    expect(second.heard('pay-method')).to.equal(0);
  });

  it('has targets of at least 44 px', async () => {
    const checkout = await ready();
    await checkout.chooseTab('Bank');
    await checkout.waitForButton('Show bank details');
    await checkout.press('Show bank details');
    await checkout.waitForButton('Copy IBAN');
    for (const button of checkout.element.shadowRoot?.querySelectorAll('button') ?? []) {
      const { width, height } = button.getBoundingClientRect();
      if (width > 0) expect(Math.min(width, height), button.outerHTML).to.be.at.least(44);
    }
  });
});
