import { aTimeout, expect } from '@open-wc/testing';
import { offerCrypto } from './support/fake-service.ts';
import { cardFrame, type Mounted, mount, serviceOf, tidyUp } from './support/mounted.ts';

afterEach(() => {
  document.documentElement.style.colorScheme = '';
  tidyUp();
});

/** Red, green and blue of a computed colour, 0 … 255. */
function channels(color: string): [number, number, number] {
  const canvas = document
    .createElement('canvas')
    .getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** WCAG 2 contrast ratio of two computed colours. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [r, g, b] = channels(color).map(value => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

async function withAccent(accent: string, theme: string): Promise<Mounted> {
  const service = serviceOf();
  const given = { paymentId: service.payment.id, clientSecret: 'pay_x_secret_y' };
  const checkout = await mount(service, { ...given, theme, appearance: { accent } });
  await checkout.waitForButton('Pay €128.40');
  return checkout;
}

const part = ({ element }: Mounted, name: string) =>
  element.shadowRoot?.querySelector(`[part~=${name}]`) as HTMLElement;

describe('<pay-checkout> with a logo that cannot be loaded', () => {
  it('shows the first letter of the shop’s name', async () => {
    const merchant = { name: 'Sunny', support_email: null, support_url: null, primary_color: null };
    const checkout = await mount(serviceOf({ merchant: { ...merchant, logo: 'data:image/png;base64,AAAA' } }));
    await checkout.waitFor('Sunny');
    await aTimeout(200);
    const logo = part(checkout, 'logo');
    expect([logo.localName, logo.textContent]).to.deep.equal(['span', 'S']);
  });
});

describe('<pay-checkout> in a shop’s colours', () => {
  for (const theme of ['light', 'dark']) {
    for (const accent of [
      '#2f5bea',
      '#ffd400',
      '#000000',
      '#ffffff',
      '#7f7f7f',
      'lime',
      'cyan',
      'rebeccapurple',
      'hsl(120 60% 45%)',
    ]) {
      it(`has readable text on and in ${accent}, theme ${theme}`, async () => {
        const checkout = await withAccent(accent, theme);
        const button = getComputedStyle(part(checkout, 'button'));
        expect(channels(button.backgroundColor)).to.deep.equal(channels(accent));
        expect(contrast(button.color, button.backgroundColor), 'ink on accent').to.be.at.least(4.5);
        const ring = checkout.element.shadowRoot?.querySelector('circle:last-child') as SVGElement;
        const card = getComputedStyle(part(checkout, 'card')).backgroundColor;
        expect(contrast(getComputedStyle(ring).stroke, card), 'accent as text on the card').to.be.at.least(4.5);
      });
    }
  }

  it('uses the merchant’s colour, unless the page sets another', async () => {
    const merchant = { name: 'Sunny', support_email: null, support_url: null, logo: null, primary_color: '#ffd400' };
    const checkout = await mount(serviceOf({ merchant }));
    await checkout.waitForButton('Pay €128.40');
    const color = () => channels(getComputedStyle(part(checkout, 'button')).backgroundColor);
    expect(color()).to.deep.equal([255, 212, 0]);
    checkout.element.style.setProperty('--pay-accent', '#0a7d55');
    expect(color()).to.deep.equal([10, 125, 85]);
  });

  it('ignores a colour that is not plain', async () => {
    const merchant = {
      name: '<img src=x onerror="hacked=1">',
      support_email: null,
      support_url: 'javascript:alert(1)',
      logo: null,
      primary_color: 'red;}*{display:none',
    };
    const checkout = await mount(serviceOf({ merchant, status: 'failed', phase: 'expired' }));
    await checkout.waitFor('This payment has expired');
    expect(checkout.text()).to.include('Questions? Contact <img src=x onerror="hacked=1">, the shop you');
    const { element } = checkout;
    element.appearance = { accent: 'red;}*{display:none', radius: '0' };
    await checkout.settle();
    expect(getComputedStyle(part(checkout, 'card')).borderRadius).to.equal('0px');
    expect(getComputedStyle(part(checkout, 'card')).display).to.equal('flex');
    expect('hacked' in window).to.equal(false);
  });

  const schemes = [
    { page: '', theme: undefined, dark: false },
    { page: 'dark', theme: undefined, dark: true },
    { page: 'light', theme: undefined, dark: false },
    { page: 'dark', theme: 'light', dark: false },
    { page: 'light', theme: 'dark', dark: true },
  ];
  for (const { page, theme, dark } of schemes) {
    it(`is ${dark ? 'dark' : 'light'} on a page of color-scheme “${page}” with theme “${theme ?? ''}”`, async () => {
      document.documentElement.style.colorScheme = page;
      const service = serviceOf();
      const checkout = await mount(service, { paymentId: service.payment.id, clientSecret: 'pay_x_secret_y', theme });
      await checkout.waitFor('Nordlys Supply');
      const background = getComputedStyle(part(checkout, 'card')).backgroundColor;
      expect(background).to.equal(dark ? 'rgb(21, 26, 33)' : 'rgb(255, 255, 255)');
    });
  }

  it('scales with the payer’s text size, whatever root font size the page sets', async () => {
    document.documentElement.style.fontSize = '10px';
    const checkout = await mount(serviceOf());
    await checkout.waitFor('Nordlys Supply');
    expect(getComputedStyle(part(checkout, 'card')).fontSize).to.equal('15px');
    document.documentElement.style.fontSize = '';
    checkout.element.style.setProperty('--pay-font-size', '32px');
    expect(getComputedStyle(part(checkout, 'card')).fontSize).to.equal('30px');
  });

  for (const radius of ['0', '0px']) {
    it(`has square corners everywhere with radius ${radius}`, async () => {
      const service = serviceOf();
      const given = { paymentId: service.payment.id, clientSecret: 'pay_x_secret_y' };
      const checkout = await mount(service, { ...given, appearance: { radius } });
      await checkout.waitForButton('Pay €128.40');
      const corners = ['card', 'logo', 'tabs', 'tab', 'button'].map(name => [
        name,
        getComputedStyle(part(checkout, name)).borderRadius,
      ]);
      const frame = await cardFrame(checkout);
      expect([...corners, ['card field', frame.connected?.hello.appearance.fieldRadius]]).to.deep.equal(
        ['card', 'logo', 'tabs', 'tab', 'button', 'card field'].map(name => [name, '0px']),
      );
    });
  }

  for (const theme of ['light', 'dark']) {
    it(`has field borders of 3:1 against the card and the field, theme ${theme}`, async () => {
      const service = offerCrypto(serviceOf({ payment_methods: ['crypto', 'card'] }));
      const order = { apiKey: 'pk_test_1', amount: 100, currency: 'EUR', settlementAsset: 'USDC', theme };
      const asking = await mount(service, order);
      await asking.waitFor('Who is paying?');
      const field = getComputedStyle(part(asking, 'field'));
      const card = getComputedStyle(part(asking, 'card')).backgroundColor;
      for (const ground of [card, field.backgroundColor]) {
        expect(contrast(field.borderTopColor, ground)).to.be.at.least(3);
      }
      const given = { paymentId: service.payment.id, clientSecret: 'pay_x_secret_y', theme };
      const checkout = await mount(service, given);
      await checkout.waitForButton('Continue with USDC');
      const choice = checkout.element.shadowRoot?.querySelectorAll('.choice')[1] as HTMLElement;
      expect(contrast(getComputedStyle(choice).borderTopColor, card)).to.be.at.least(3);
      await checkout.chooseTab('Card');
      const { line = '', field: ground = '' } = (await cardFrame(checkout)).connected?.hello.appearance ?? {};
      expect(contrast(line, ground)).to.be.at.least(3);
    });
  }

  for (const lang of ['en', 'ar', 'ja']) {
    it(`has its three tabs in one row on a hosted page of 280 px, in ${lang}`, async () => {
      const service = offerCrypto(serviceOf());
      const given = { paymentId: service.payment.id, clientSecret: 'pay_x_secret_y', locale: lang };
      const checkout = await mount(service, given);
      await checkout.waitFor(lang === 'en' ? 'Crypto' : lang === 'ja' ? 'カード' : 'بطاقة');
      (checkout.element.parentElement as HTMLElement).style.width = '248px';
      await checkout.settle();
      const tabs = [...(checkout.element.shadowRoot?.querySelectorAll<HTMLElement>('[role=tab]') ?? [])];
      expect(tabs).to.have.length(3);
      expect(new Set(tabs.map(({ offsetTop }) => offsetTop)).size).to.equal(1);
      for (const tab of tabs) expect(tab.scrollWidth).to.be.at.most(tab.clientWidth);
    });
  }

  it('gives two checkouts of a page different landmark names', async () => {
    const first = await mount(serviceOf());
    const second = await mount(first.service);
    await second.waitFor('Nordlys Supply');
    const names = [first, second].map(checkout => part(checkout, 'card').getAttribute('aria-label'));
    expect(names).to.deep.equal(['Checkout', 'Checkout 2']);
    await expect(document.body).to.be.accessible();
  });

  it('fits 320 px, with long names and long amounts, at twice the text size', async () => {
    const merchant = {
      name: 'Donaudampfschifffahrtsgesellschaft',
      support_email: null,
      support_url: null,
      logo: null,
      primary_color: null,
    };
    const service = serviceOf({ amount: 12_345_678_900, currency: 'VND', merchant, reference: 'x'.repeat(80) });
    const checkout = await mount(service);
    await checkout.waitFor('₫12,345,678,900');
    const place = checkout.element.parentElement as HTMLElement;
    place.style.width = '320px';
    for (const size of ['16px', '32px']) {
      checkout.element.style.setProperty('--pay-font-size', size);
      await checkout.settle();
      expect(place.scrollWidth).to.be.at.most(320);
    }
  });
});
