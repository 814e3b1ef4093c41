import '../../src/dashboard/ramps/terms/terms-page.ts';
import { expect } from '@open-wc/testing';
import { exampleAccount } from './support/example-account.ts';
import { usdc } from './support/example-ramp.ts';
import { type Answer, Refusal } from './support/fake-service.ts';
import {
  deep,
  find,
  mountPage,
  repeatedNames,
  serviceOf,
  settle,
  textOf,
  tidyUp,
  waitUntil,
} from './support/mounted.ts';

afterEach(tidyUp);

const off = { enabled: false, assets: [], methods: [], fees: [], limits: [], late_money: 'market', kyc: 'service' };
const set = {
  ...off,
  enabled: true,
  assets: [usdc],
  methods: ['card'],
  fees: [{ asset: usdc, method: 'card', currency: 'EUR', percent: 1.5, fixed: 30 }, { percent: 2 }],
  limits: [{ tier: 'basic', country: 'DE', currency: 'JPY', per_day: 50_000 }],
};

async function openTerms(ramps: object, patch: Answer = {}, role: 'owner' | 'viewer' = 'owner') {
  const service = serviceOf({
    'GET /v1/account': { ...exampleAccount, ramps },
    'GET /v1/capabilities': { settlement_assets: ['XLM', usdc] },
    'PATCH /v1/account': patch,
  });
  const mounted = await mountPage('pay-ramp-terms-page', { role });
  const { page } = mounted;
  await waitUntil(() => textOf(page).includes('Fees'));
  const field = (name: string) => find<HTMLInputElement>(page, `[name="${name}"]`);
  const type = async (name: string, text: string) => {
    field(name).value = text;
    field(name).dispatchEvent(new Event(field(name).localName === 'select' ? 'change' : 'input'));
    await settle(page);
  };
  const press = async (selector: string, name?: string) => {
    find(page, selector, name).click();
    await settle(page);
  };
  const save = () => find<HTMLFormElement>(page, 'form').requestSubmit();
  return { ...mounted, service, field, type, press, save };
}

/** The name of the field that has the focus. */
const focused = (page: Element) => page.shadowRoot?.activeElement?.getAttribute('name');

describe('the settings of ramps', () => {
  it('are sent as people type them: assets, methods, fees and limits', async () => {
    const { page, service, toasts, type, press, save } = await openTerms(off, { ...exampleAccount, ramps: set });
    await press('[name="ramps.enabled"]');
    expect(textOf(page)).to.contain('Choose at least one asset and one method.');
    for (const name of [`ramps.assets.${usdc}`, 'ramps.methods.card', 'ramps.methods.mobile_money']) {
      await press(`[name="${name}"]`);
    }
    expect(textOf(page)).not.to.contain('Choose at least one asset');
    await press('button', 'Add a fee');
    await waitUntil(() => focused(page) === 'ramps.fees[0].asset');
    await type('ramps.fees[0].currency', 'jpy');
    await type('ramps.fees[0].percent', '1,5');
    await type('ramps.fees[0].fixed', '30');
    await press('button', 'Add a limit');
    await type('ramps.limits[0].tier', 'standard');
    await type('ramps.limits[0].country', 'DE');
    await type('ramps.limits[0].per_day', '1.250,50');
    await type('ramps.late_money', 'wait');
    await type('ramps.kyc', 'platform');
    await expect(page).shadowDom.to.be.accessible();
    save();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.equal({
      ramps: {
        enabled: true,
        assets: [usdc],
        methods: ['card', 'mobile_money'],
        fees: [{ currency: 'JPY', percent: 1.5, fixed: 30 }],
        limits: [{ tier: 'standard', country: 'DE', currency: 'EUR', per_day: 1_250_50 }],
        late_money: 'wait',
        kyc: 'platform',
      },
    });
    await settle(page);
    expect(repeatedNames(page)).to.deep.equal([]);
  });

  it('show the kept rules, and keep what was not changed', async () => {
    const { service, toasts, field, save } = await openTerms(set, { ...exampleAccount, ramps: set });
    expect(field('ramps.fees[0].fixed').value).to.equal('0.30');
    expect(field('ramps.limits[0].per_day').value).to.equal('50000');
    save();
    await waitUntil(() => toasts.length === 1);
    expect(service.callsOf('PATCH /v1/account')[0]?.body).to.deep.equal({ ramps: set });
  });

  it('move and remove rules, and the focus goes along', async () => {
    const { page, service, press, save } = await openTerms(set, { ...exampleAccount, ramps: set });
    await press('button', 'Move up fee 2');
    await waitUntil(() => focused(page) === 'ramps.fees[0].asset');
    await press('button', 'Remove limit 1');
    await waitUntil(() => page.shadowRoot?.activeElement?.id === 'add-limit');
    save();
    await waitUntil(() => service.callsOf('PATCH /v1/account').length === 1);
    const sent = service.callsOf('PATCH /v1/account')[0]?.body['ramps'];
    expect(sent).to.deep.equal({ ...set, fees: set.fees.toReversed(), limits: [] });
  });

  const wrong = new Refusal(
    400,
    'parameter_invalid',
    'ramps.fees[1].percent must be at most 50.',
    'ramps.fees[1].percent',
  );
  const unlisted = new Refusal(400, 'asset_not_listed', 'The operator does not list it.', 'ramps.assets[0]');
  const mistakes: readonly [what: string, name: string, text: string, Answer, message: string, focus: string][] = [
    ['of the server', 'ramps.fees[1].percent', '60', wrong, 'It must be at most 50.', 'ramps.fees[1].percent'],
    ['of an asset', 'ramps.fees[1].percent', '2', unlisted, 'The operator does not list it.', 'ramps.assets.XLM'],
    ['of a percentage', 'ramps.fees[0].percent', '1.234', {}, 'at most two decimals', 'ramps.fees[0].percent'],
    ['of an amount', 'ramps.limits[0].per_month', 'much', {}, 'for example 50000.', 'ramps.limits[0].per_month'],
    ['of a missing currency', 'ramps.fees[0].currency', '', {}, 'needs a currency', 'ramps.fees[0].currency'],
  ];
  for (const [what, name, text, answer, message, focus] of mistakes) {
    it(`show a mistake at its field, which takes the focus: ${what}`, async () => {
      const { page, type, save } = await openTerms(set, answer);
      await type(name, text);
      save();
      await waitUntil(() => textOf(page).includes(message));
      await waitUntil(() => focused(page) === focus);
      await expect(page).shadowDom.to.be.accessible();
    });
  }

  it('can be read, not changed, by viewers', async () => {
    const { page, field } = await openTerms(set, {}, 'viewer');
    expect(textOf(page)).to.contain('may look but not change settings');
    expect(field('ramps.fees[0].percent').matches(':disabled')).to.equal(true);
    const submits = [...deep(page.shadowRoot as ShadowRoot)].filter(each => each.matches('button[type=submit]'));
    expect(submits).to.deep.equal([]);
  });
});
