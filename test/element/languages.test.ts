import { expect } from '@open-wc/testing';
import type { Strings } from '../../src/element/strings/en.ts';
import { exampleInstructions, paidPayment } from './support/example-payment.ts';
import { cardFrame, type Mounted, mount, serviceOf, tidyUp } from './support/mounted.ts';

afterEach(() => {
  document.documentElement.removeAttribute('lang');
  Reflect.deleteProperty(navigator, 'languages');
  tidyUp();
});

const setBrowserLanguages = (value: readonly string[]) =>
  Object.defineProperty(navigator, 'languages', { value, configurable: true });

const section = ({ element }: Mounted) => element.shadowRoot?.querySelector('section') as HTMLElement;
const byPayment = (id: string) => ({ paymentId: id, clientSecret: `${id}_secret_x1` });

/** Each language with words of its first screen, its direction, and its label of the card number. */
const languages = [
  { lang: 'ar', locale: 'ar-AE', dir: 'rtl', tab: 'بطاقة', pay: 'ادفع', number: 'رقم البطاقة' },
  { lang: 'ja', locale: 'ja-JP', dir: 'ltr', tab: 'カード', pay: 'を支払う', number: 'カード番号' },
] as const;

describe('<pay-checkout> in another language', () => {
  for (const { lang, locale, dir, tab, pay, number } of languages) {
    it(`is in ${lang} by its attribute, including the card fields`, async () => {
      const service = serviceOf();
      const checkout = await mount(service, { ...byPayment(service.payment.id), locale });
      await checkout.waitFor(tab);
      const frame = await cardFrame(checkout);
      await checkout.waitFor(pay);
      expect(section(checkout).lang).to.equal(lang);
      expect(getComputedStyle(section(checkout)).direction).to.equal(dir);
      expect(frame.connected?.hello.strings?.number).to.equal(number);
      expect([frame.connected?.hello.locale, frame.connected?.hello.dir]).to.deep.equal([lang, dir]);
      await expect(checkout.element).to.be.accessible();
    });

    it(`is in ${lang} by the locale of the payment`, async () => {
      const given = serviceOf({ locale });
      const checkout = await mount(given, { ...byPayment(given.payment.id), locale: '' });
      await checkout.waitFor(tab);
    });

    for (const wish of ['', 'auto']) {
      it(`is in ${lang} by the browser with locale “${wish}”, whatever the page’s language`, async () => {
        setBrowserLanguages(['fi-FI', locale, 'en']);
        document.documentElement.lang = 'en';
        const service = serviceOf({ locale: null });
        const checkout = await mount(service, { ...byPayment(service.payment.id), locale: wish });
        await checkout.waitFor(tab);
        await checkout.waitFor(pay);
      });
    }

    it(`is in ${lang} by the page if the browser’s languages are not supported`, async () => {
      setBrowserLanguages(['fi-FI']);
      document.documentElement.lang = lang;
      const service = serviceOf({ locale: null });
      const checkout = await mount(service, { ...byPayment(service.payment.id), locale: '' });
      await checkout.waitFor(tab);
    });
  }

  it('changes its language with the attribute, on all screens', async () => {
    const service = serviceOf({
      phase: 'awaiting_funds',
      method: 'bank_transfer',
      next_action: exampleInstructions(),
    });
    const checkout = await mount(service);
    await checkout.waitFor('Waiting for the transfer');
    checkout.element.locale = 'ja';
    await checkout.waitFor('振込を待っています');
    checkout.element.locale = 'ar';
    await checkout.waitFor('في انتظار التحويل');
    checkout.element.locale = 'en';
    await checkout.waitFor('Waiting for the transfer');
    expect(section(checkout).getAttribute('dir')).to.equal(null);
  });

  it('translates the service’s errors', async () => {
    const message = 'Your bank declined the card. Try another card, or pay another way.';
    const service = serviceOf({ last_attempt: { method: 'card', code: 'card_declined', message } });
    const checkout = await mount(service, { ...byPayment(service.payment.id), locale: 'ar' });
    await checkout.waitFor('رفض بنكك هذه البطاقة.');
    expect(section(checkout).textContent).not.to.contain('declined');
  });

  it('writes numbers and codes from left to right within right-to-left text', async () => {
    const paid = paidPayment();
    const checkout = await mount(serviceOf(paid), { ...byPayment(paid.id), locale: 'ar' });
    await checkout.waitFor('تم الدفع');
    const words = checkout.element.shadowRoot?.querySelector('.folded bdi') as HTMLElement;
    const whole = words.getBoundingClientRect();
    const start = words.querySelector('i')?.getBoundingClientRect();
    expect(words.textContent).to.match(/^pay_/);
    expect(start?.left).to.equal(whole.left);
    expect(start?.right).to.be.lessThan(whole.right);
  });

  for (const locale of ['fi-FI', 'de-DE', 'de']) {
    it(`is in English, with English amounts, for the unsupported language ${locale}`, async () => {
      const service = serviceOf({ locale });
      const checkout = await mount(service, {
        ...byPayment(service.payment.id),
        locale: locale === 'de' ? '' : locale,
      });
      await checkout.waitFor('€128.40 EUR');
      await checkout.waitForButton('Pay €128.40');
      expect(section(checkout).lang).to.equal('en');
      expect((await cardFrame(checkout)).connected?.hello.strings).to.equal(null);
    });
  }

  it('takes a locale in capital letters', async () => {
    const service = serviceOf();
    const checkout = await mount(service, { ...byPayment(service.payment.id), locale: 'JA-JP' });
    await checkout.waitFor('を支払う');
  });
});

/** The sentences of a table with their paths. */
function sentences(table: object, path = ''): [path: string, sentence: string][] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value]] : value ? sentences(value, `${path}${key}.`) : [],
  );
}

const gapsOf = (sentence: string) => [...new Set(sentence.match(/\{\w+\}/g) ?? [])].sort();

/** Sentences whose placeholders may differ from English: plurals depend on the language. */
const otherGaps: readonly string[] = ['parts.bank.arrives'];

describe('the translations', () => {
  for (const { lang } of languages) {
    it(`have the placeholders and bold parts of the English texts: ${lang}`, async () => {
      const english = new Map(sentences(await englishStrings()));
      const { strings } = (await import(`../../src/element/strings/${lang}.ts`)) as { strings: Strings };
      const others = sentences(strings).filter(([path]) => !/^(lang|dir|parts\.problems\.)/.test(path));
      expect(others.map(([path]) => path).sort()).to.deep.equal(
        [...english.keys()].filter(path => path !== 'lang').sort(),
      );
      for (const [path, sentence] of others) {
        const original = english.get(path) ?? '';
        if (!otherGaps.includes(path)) expect(gapsOf(sentence), path).to.deep.equal(gapsOf(original));
        expect(sentence.split('|').length, path).to.equal(original.split('|').length);
        expect(sentence.trim(), path).not.to.equal('');
      }
    });
  }
});

async function englishStrings(): Promise<object> {
  const parts =
    'bank challenge card contact crypto details launcher outcome panels pay-link rate rows situation trouble wallet'.split(
      ' ',
    );
  const { en } = await import('../../src/element/strings/en.ts');
  const { english } = await import('../../src/pages/card-frame/strings.ts');
  const { englishProblems } = await import('../../src/pages/card-frame/problem-strings.ts');
  const tables = await Promise.all(
    parts.map(async part => {
      const [table] = Object.values(await import(`../../src/element/strings/en/${part}.ts`)) as object[];
      return [part.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), table] as const;
    }),
  );
  return { ...en, parts: { ...Object.fromEntries(tables), cardFrame: { ...english, ...englishProblems } } };
}
