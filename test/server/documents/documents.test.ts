import { describe, expect, it } from 'vitest';
import { epcPayload } from '../../../src/core/bank/epc-qr.ts';
import { formatQrReference, qrReference, swissQrPayload } from '../../../src/core/bank/swiss-qr.ts';
import { drawInvoice, drawPoster, drawReceipt, drawReminder } from '../../../src/server/documents/documents.ts';
import { codesIn, picturePdf, readingTexts, readPdf, streamsOf } from '../../support/read-pdf.ts';
import { type SampleLine, sampleInvoice, sampleLogo } from './sample-invoice.ts';

const vat = { name: 'VAT', percent: '19' };
const reduced = { name: 'VAT', percent: '7' };
const logo = { type: 'png' as const, bytes: await sampleLogo(360) };

const days: SampleLine[] = Array.from({ length: 60 }, (_, index) => ({
  description:
    index % 12 === 3
      ? `Calibration of the meridian circle, station ${index + 101}, including travel and the report in two languages`
      : `Optical bench, day ${index + 101}`,
  quantity: String(1 + (index % 5)),
  unit: index % 3 === 0 ? 'h' : null,
  unitAmount: BigInt(12_000 + index * 37),
  ...(index % 9 === 0 && { discountPercent: '10' }),
  taxes: [index % 2 === 0 ? vat : reduced],
}));

const long = sampleInvoice({
  lines: days,
  discountPercent: '2.5',
  seller: { logo },
  installments: [
    {
      kind: 'deposit',
      dueDate: '2026-11-25',
      amount: 584_107n,
      amountPaid: 584_107n,
      amountCredited: 0n,
      status: 'paid',
    },
    {
      kind: 'installment',
      dueDate: '2026-12-05',
      amount: 1_000_000n,
      amountPaid: 0n,
      amountCredited: 0n,
      status: 'open',
    },
    {
      kind: 'installment',
      dueDate: '2027-01-05',
      amount: 1_000_000n,
      amountPaid: 0n,
      amountCredited: 0n,
      status: 'open',
    },
  ],
  exchangeRate: { currency: 'USD', rate: '1.0842', date: '2026-11-20', taxTotal: 322_506n, total: 2_801_688n },
  memo: 'Thank you for your order. We deliver to the observatory, second gate.',
  footer: 'Kopernikus Instruments GmbH · HRB 12345 B, Amtsgericht Charlottenburg',
});
const epc = epcPayload({
  bic: 'BHBLDEHHXXX',
  name: long.seller.name,
  iban: 'DE71110220330123456789',
  amount: long.total,
  text: 'INV-0001',
});
const withCode = { ...long, bankQr: { format: 'epc' as const, payload: epc ?? '' } };

const arabic = sampleInvoice({
  locale: 'ar',
  number: 'INV-0042',
  lines: [
    {
      description: 'استشارة في أنظمة الدفع (8 ساعات)',
      quantity: '8',
      unitAmount: 12_000n,
      taxes: [{ name: 'ضريبة القيمة المضافة', percent: '15' }],
    },
    {
      description: 'تصميم الشعار والهوية البصرية للمتجر مع ملفات SVG وPNG، والدعم لمدة ٣٠ يومًا',
      unitAmount: 350_000n,
      discountPercent: '10',
      taxes: [{ name: 'ضريبة القيمة المضافة', percent: '15' }],
    },
    { description: 'Hosting plan Pro 2026 (annual)', unitAmount: 99_900n },
  ],
  buyer: {
    name: 'شركة النور للتجارة',
    email: 'noor@example.com',
    addressLines: ['شارع الملك فهد 15', 'الرياض 12211'],
    country: 'SA',
    taxId: '310122393500003',
  },
  seller: {
    name: 'مصنع الأجهزة الدقيقة',
    addressLines: ['شارع التحرير 7', 'القاهرة'],
    country: 'EG',
    primaryColor: '#7c3aed',
    logo,
    iban: null,
    bic: null,
  },
  memo: 'شكرًا لطلبكم. نرجو الدفع قبل تاريخ الاستحقاق.',
});

const japanese = sampleInvoice({
  locale: 'ja',
  currency: 'JPY',
  lines: [
    {
      description: '決済システムのコンサルティング（11月分）',
      quantity: '20',
      unit: '時間',
      unitAmount: 12_000n,
      taxes: [{ name: '消費税', percent: '10' }],
    },
    {
      description: '軽減税率対象：お茶「玉露」詰め合わせ、送料込み',
      quantity: '3',
      unitAmount: 5_400n,
      taxes: [{ name: '消費税', percent: '8' }],
    },
  ],
  buyer: {
    name: '株式会社エイダ 御中',
    email: null,
    addressLines: ['〒100-0001', '東京都千代田区千代田1-1'],
    country: 'JP',
    taxId: null,
  },
  seller: {
    name: 'ペイ商店合同会社',
    addressLines: ['〒530-0001', '大阪府大阪市北区梅田3-1-3'],
    country: 'JP',
    primaryColor: '#be123c',
    iban: null,
    bic: null,
  },
});

const zurich = {
  name: 'Kopernikus Instruments AG',
  street: 'Bahnhofstrasse',
  buildingNumber: '1',
  postalCode: '8001',
  town: 'Zürich',
  country: 'CH',
};
const geneva = {
  name: 'Ada Lovelace',
  street: 'Rue du Marché',
  buildingNumber: '7',
  postalCode: '1204',
  town: 'Genève',
  country: 'CH',
};
const swissPayload = swissQrPayload({
  iban: 'CH9300762011623852957',
  creditor: zurich,
  amount: 199_995n,
  currency: 'CHF',
  debtor: geneva,
  message: 'INV-0001',
  reference: null,
});
const swiss = sampleInvoice({
  locale: 'de-CH',
  currency: 'CHF',
  payUrl: null,
  lines: [
    {
      description: 'Fernrohr, gebraucht',
      unitAmount: 199_995n,
      taxes: [{ name: 'MwSt.', percent: '8.1', inclusive: true }],
    },
  ],
  seller: { name: zurich.name, country: 'CH', iban: 'CH9300762011623852957', bic: null },
  bankQr: { format: 'swiss_qr', payload: swissPayload ?? '' },
});

/** Removes white space, which depends on the layout. */
const flat = (text: string) => text.replace(/\s+/g, '');

describe('an invoice of many lines', async () => {
  const bytes = await drawInvoice(withCode);
  const pdf = await readPdf(bytes);
  const text = pdf.pages.join('\n');

  it('contains all of its texts', () => {
    for (const { description } of days) expect(flat(text)).toContain(flat(description));
    const parts = [
      'INV-0001',
      'PO-4711',
      'Ada Lovelace',
      'London SW1Y 4JH',
      'Tax ID GB123456789',
      'Kopernikus Instruments GmbH',
    ];
    const sums = [
      '€25,',
      'VAT 7%',
      'VAT 19%',
      'Discount 2.5%',
      '1 EUR = 1.0842 USD',
      '$28,016.88',
      'Deposit',
      'Installment 2',
      'January 5, 2027',
    ];
    const ways = ['DE71 1102 2033 0123 4567 89', 'BHBLDEHHXXX', 'second gate', 'HRB 12345 B'];
    for (const part of [...parts, ...sums, ...ways]) expect(flat(text)).toContain(flat(part));
  });

  it('repeats the header and carries the subtotal from page to page', () => {
    expect(pdf.pages.length).toBeGreaterThanOrEqual(3);
    const money = (amount: bigint) => `€${(Number(amount) / 100).toLocaleString('en', { minimumFractionDigits: 2 })}`;
    for (const [index, page] of pdf.pages.entries()) {
      expect(page).toContain(`Page ${index + 1} of ${pdf.pages.length}`);
      const carried = [...page.matchAll(/Carried over\s*(€[\d,.]+)/g)].map(match => match[1]);
      const before = days.findLastIndex(({ description }) =>
        pdf.pages.slice(0, index + 1).some(seen => flat(seen).includes(flat(description))),
      );
      const sum = long.lines.slice(0, before + 1).reduce((total, line) => total + line.subtotal, 0n);
      if (page.includes('Description') && before < days.length - 1) expect(carried.at(-1)).toBe(money(sum));
      if (index > 0 && page.includes('Description'))
        expect(carried[0]).toBe([...(pdf.pages[index - 1] ?? '').matchAll(/Carried over\s*(€[\d,.]+)/g)].at(-1)?.[1]);
    }
  });

  it('is the same file when it is drawn again', async () => {
    expect(bytes.equals(await drawInvoice(withCode))).toBe(true);
  });

  it('contains no link but that of the payment page', () => {
    expect(new Set(pdf.links)).toEqual(new Set([long.payUrl]));
  });

  it('is rendered without errors', async () => {
    await picturePdf(bytes, 'invoice-en');
    expect(pdf.title).toBe('Invoice INV-0001 · Kopernikus Instruments GmbH');
  });
});

describe('an invoice in Arabic', async () => {
  const bytes = await drawInvoice(arabic);
  const pdf = await readPdf(bytes);

  it('has its text in logical order', () => {
    const reading = flat(readingTexts(bytes).join(''));
    const texts = [
      ...arabic.lines.map(({ description }) => description).slice(0, 2),
      arabic.seller.name,
      arabic.buyer.name ?? '',
      arabic.memo ?? '',
      'فاتورة',
    ];
    for (const text of texts) expect(reading).toContain(flat(text));
  });

  it('has glyphs that readers without ActualText find', () => {
    const words = [
      'استشارة',
      'أنظمة',
      'تصميم',
      'الشعار',
      'والهوية',
      'البصرية',
      'للمتجر',
      'شكرًا',
      'الاستحقاق',
      'فاتورة',
    ];
    for (const word of words) expect(pdf.pages.join(' ')).toContain(word);
  });

  it('is aligned to the right', async () => {
    const left = await leftEnds(bytes);
    expect(left('Hosting plan Pro 2026 (annual)')).toBeGreaterThan(300);
    expect(left('INV-0042')).toBeLessThan(150);
  });

  it('is rendered without errors', async () => {
    await picturePdf(bytes, 'invoice-ar');
    expect(flat(pdf.pages.join(''))).toContain('Hostingplan');
  });
});

describe('an invoice in Japanese', async () => {
  const bytes = await drawInvoice(japanese);
  const text = flat((await readPdf(bytes)).pages.join(''));

  it.each([
    '決済システムのコンサルティング（11月分）',
    'お茶「玉露」詰め合わせ',
    '株式会社エイダ',
    '東京都千代田区千代田1-1',
    '請求書',
    '￥281,496',
  ])('contains %s', part => {
    expect(text).toContain(flat(part));
  });

  it('is rendered without errors', async () => {
    expect(await codesIn(bytes, 'invoice-ja')).toEqual([japanese.payUrl]);
  });
});

describe('texts in many scripts', async () => {
  const descriptions = [
    'Ελληνικά: φωτογραφική μηχανή',
    'Русский: объектив «Гелиос», ґанок',
    'Tiếng Việt: máy ảnh số, đồng hồ',
    'Polski: zażółć gęślą jaźń; Türkçe: ışığı',
    '한국어: 사진기 수리',
    '简体中文：照相机维修',
    '₫ ₹ ₩ € £ – — … “quoted” ½ ² ³ × ÷',
  ];
  const joining = [
    'עברית: תיקון מצלמה (2026), שָׁלוֹם',
    'ไทย: ซ่อมกล้องถ่ายรูป ที่ร้านน้ำใจ',
    'हिन्दी: कैमरे की मरम्मत, क्षत्रिय',
    'বাংলা: ক্যামেরা মেরামত, শ্রীকৃষ্ণ',
    'தமிழ்: கேமரா பழுது, ஸ்ரீ',
  ];
  const accents = [
    'Tie\u0302\u0301ng Vie\u0323\u0302t: máy ảnh số, ế Ế ỗ ở ữ Ậ',
    'Yorùbá: ẹ̀kọ́ ọ̀rọ̀ gb\u0300 x\u0323\u0301 q\u0308',
    'ışığı i i\u0323\u0301 ı j\u0303 ȷ',
  ];
  const others = ['Հայերեն․ ֆոտոխցիկի նորոգում', 'ქართული: კამერის შეკეთება', '👩‍👩‍👧 🇨🇭 👍🏽 😀 ☎ ✓'];
  const lines = [...descriptions, ...joining, ...accents, ...others].map(description => ({
    description,
    unitAmount: 100n,
  }));
  const bytes = await drawInvoice(sampleInvoice({ lines }));
  const text = flat((await readPdf(bytes)).pages.join(''));
  const reading = flat(readingTexts(bytes).join(''));

  it.each(descriptions)('%s', description => {
    expect(text).toContain(flat(description));
  });

  it.each(joining)('%s, whose letters join or move', description => {
    expect(reading).toContain(flat(description));
  });

  it.each([...accents, ...others])('%s, by a reader without ActualText', description => {
    expect(text.normalize('NFC')).toContain(flat(description).normalize('NFC'));
  });

  it('are rendered without errors', async () => {
    const rest = [
      'Mixed العربية inside English, 日本語 and emoji 👩‍👩‍👧 🇨🇭',
      'عربي فقط (1,234.50) نص',
      'Super'.repeat(40),
    ];
    const mixed = [...descriptions, ...joining, ...accents, ...others, ...rest].map(description => ({
      description,
      unitAmount: 12_345_678_901n,
    }));
    const invoice = sampleInvoice({ lines: mixed, currency: 'VND' });
    expect(await codesIn(await drawInvoice(invoice), 'invoice-scripts')).toEqual([invoice.payUrl]);
  });
});

describe('a Swiss invoice', async () => {
  const bytes = await drawInvoice(swiss);

  it('contains the payment slip of Swiss banks', async () => {
    const text = flat((await readPdf(bytes)).pages.join(''));
    for (const part of ['Empfangsschein', 'Zahlteil', 'CH9300762011623852957', 'Genève', '1999.95'])
      expect(text).toContain(part);
    // The Swiss cross covers the middle; error correction makes up for it.
    expect(await codesIn(bytes, 'invoice-swiss', 3)).toContain(swissPayload);
  });
});

describe('a Swiss invoice to a QR-IBAN', () => {
  it('has the reference on its slip, in a font of the guidelines', async () => {
    const iban = 'CH4431999123000889012';
    const reference = qrReference('INV-0001');
    const terms = {
      iban,
      creditor: zurich,
      amount: 199_995n,
      currency: 'CHF' as const,
      message: 'INV-0001',
      reference,
    };
    const payload = swissQrPayload({ ...terms, debtor: { ...geneva, name: 'Πυθαγόρας' } }) ?? '';
    const seller = { name: zurich.name, country: 'CH', iban, bic: null };
    const bytes = await drawInvoice({
      ...swiss,
      seller: { ...swiss.seller, ...seller },
      bankQr: { format: 'swiss_qr', payload },
    });
    const text = flat((await readPdf(bytes)).pages.join(''));
    for (const part of [flat(formatQrReference(reference)), 'CH4431999123000889012', 'Referenz'])
      expect(text).toContain(part);
    expect(text).not.toContain('Πυθαγόρας');
    expect(bytes.toString('latin1')).toMatch(/LiberationSans/);
    expect(await codesIn(bytes, 'invoice-swiss-qrr', 3)).toContain(payload);
  });
});

describe('other documents', () => {
  it('a credit note requests no payment', async () => {
    const bytes = await drawInvoice(
      sampleInvoice({
        kind: 'credit_note',
        number: 'CN-0001',
        dueDate: null,
        payUrl: null,
        corrects: { number: 'INV-0001', issueDate: '2026-10-01' },
      }),
    );
    const { pages, links, attachments } = await readPdf(bytes);
    expect(pages.join('')).toContain('Credit for invoice INV-0001 of October 1, 2026');
    expect(links).toEqual([]);
    expect(attachments['factur-x.xml']).toContain('<ram:TypeCode>381</ram:TypeCode>');
    await picturePdf(bytes, 'credit-note');
  });

  it('a receipt contains the received and the remaining amount', async () => {
    const invoice = {
      ...swiss,
      locale: 'en',
      amountPaid: 100_000n,
      amountRemaining: 99_995n,
      status: 'partially_paid' as const,
    };
    const payment = {
      number: 'pay_0123456789',
      paidOn: '2026-11-22',
      amount: 100_000n,
      method: 'crypto' as const,
      reference: 'a1b2c3',
    };
    const bytes = await drawReceipt({ invoice, payment });
    const text = flat((await readPdf(bytes)).pages.join(''));
    for (const part of ['Receipt', 'pay_0123456789', 'CHF1,000.00', 'CHF999.95', 'Crypto', 'a1b2c3'])
      expect(text).toContain(part);
    await picturePdf(bytes, 'receipt');
  });

  it.each([
    ['before', '2026-12-02', 'is due'],
    ['after', '2026-12-08', 'was due'],
  ])('a reminder %s the due date requests the due amount', async (when, date, words) => {
    const bytes = await drawReminder({
      invoice: { ...withCode, status: 'partially_paid' },
      date,
      amountDue: 1_000_000n,
      dueDate: '2026-12-05',
    });
    const { pages, links } = await readPdf(bytes);
    expect(flat(pages.join(''))).toContain(flat(`€10,000.00 of invoice INV-0001 ${words} December 5, 2026.`));
    expect(new Set(links)).toEqual(new Set([long.payUrl]));
    await picturePdf(bytes, `reminder-${when}`);
  });

  it.each([
    ['en', 'Support the observatory', 'Every euro keeps the dome turning.'],
    ['ar', 'ادعموا المرصد', 'كل تبرع يساعدنا على الاستمرار.'],
    ['ja', '天文台を応援する', '皆さまのご支援に感謝します。'],
  ])('a poster in %s has a QR code that is readable from a distance', async (locale, title, text) => {
    const url = 'https://pay.example.com/l/plink_0123456789abcdef0123456789';
    const order = {
      name: 'Kopernikus',
      logo: logo.bytes,
      primaryColor: '#b91c1c',
      locale,
      title,
      text,
      url,
      livemode: false,
    };
    const bytes = await drawPoster({ ...order, amount: { value: 1_500n, currency: 'EUR' } });
    const { pages, links } = await readPdf(bytes);
    expect(pages).toHaveLength(1);
    expect(links).toEqual([url]);
    expect(await codesIn(bytes, `poster-${locale}`)).toEqual([url]);
  });
});

describe('the button of an invoice', () => {
  it('has black text where neither white nor near black is readable', async () => {
    const blackFills = async (primaryColor: string) => {
      const invoice = sampleInvoice();
      const bytes = await drawInvoice({ ...invoice, seller: { ...invoice.seller, primaryColor } });
      return (
        streamsOf(bytes)
          .join('\n')
          .match(/\b0 0 0 scn\b/g)?.length ?? 0
      );
    };
    expect(await blackFills('#797979')).toBe((await blackFills('#0f766e')) + 1);
  });
});

describe('many documents at once', () => {
  it('are all drawn, and an invalid one affects no other', async () => {
    const numbers = Array.from({ length: 12 }, (_, index) => `INV-${1000 + index}`);
    const unknown = drawInvoice(sampleInvoice({ currency: 'XXX' }));
    const drawings = numbers.map(number => drawInvoice(sampleInvoice({ number })));
    await expect(unknown).rejects.toThrow('XXX');
    const titles = await Promise.all(drawings.map(async bytes => (await readPdf(await bytes)).title));
    expect(titles).toEqual(numbers.map(number => `Invoice ${number} · Kopernikus Instruments GmbH`));
  });
});

/** Distance of a text from the left edge of the first page, in points. */
async function leftEnds(bytes: Uint8Array): Promise<(text: string) => number> {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const task = getDocument({ data: Uint8Array.from(bytes), verbosity: 0 });
  const { items } = await (await (await task.promise).getPage(1)).getTextContent();
  await task.destroy();
  return text => {
    const item = items.find(found => 'str' in found && found.str.includes(text));
    return item && 'transform' in item ? Number(item.transform[4]) : Number.NaN;
  };
}
