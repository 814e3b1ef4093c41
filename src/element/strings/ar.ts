import { cardFrameStrings, cardStrings } from './ar/card.ts';
import { bankStrings, challengeStrings, cryptoStrings } from './ar/methods.ts';
import {
  contactStrings,
  detailsStrings,
  launcherStrings,
  outcomeStrings,
  payLinkStrings,
  problems,
  rateStrings,
  rowStrings,
  situationStrings,
  troubleStrings,
} from './ar/views.ts';
import { walletStrings } from './ar/wallet.ts';
import type { Strings } from './en.ts';

/** The checkout in Arabic. Sentences with counts are worded so that any number fits. */
export const strings: Strings = {
  lang: 'ar',
  dir: 'rtl',
  label: 'إتمام الدفع',
  methods: 'كيف تريد الدفع؟',
  card: 'بطاقة',
  bank_transfer: 'بنك',
  crypto: 'عملة مشفّرة',
  loading: 'جارٍ تحميل صفحة الدفع',
  order: 'الطلب {reference}',
  oneItem: 'صنف واحد',
  items: 'عدد الأصناف: {count}',
  stillDue: 'متبقٍّ للدفع',
  held: 'السعر مثبّت لمدة {time}',
  received: 'وصل {received} من {amount}',
  receivedHeld: 'وصل {received} من {amount} · السعر مثبّت لمدة {time}',
  over: 'لم يعد السعر مثبّتًا',
  lastMinute: 'تبقّت دقيقة واحدة بهذا السعر.',
  settles: 'التسوية عبر Stellar',
  testMode: 'وضع الاختبار',
  unloaded: 'تعذّر تحميل جزء من هذه الصفحة.',
  tryAgain: 'حاول مرة أخرى',
  parts: {
    bank: bankStrings,
    challenge: challengeStrings,
    card: cardStrings,
    cardFrame: cardFrameStrings,
    contact: contactStrings,
    crypto: cryptoStrings,
    details: detailsStrings,
    launcher: launcherStrings,
    outcome: outcomeStrings,
    payLink: payLinkStrings,
    rate: rateStrings,
    rows: rowStrings,
    situation: situationStrings,
    trouble: troubleStrings,
    wallet: walletStrings,
    problems,
  },
};
