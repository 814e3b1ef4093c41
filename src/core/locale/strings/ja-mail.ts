import type { StringTables } from '../string-areas.ts';

/** Texts of mails to payers, in Japanese. */
export const mailStrings: StringTables['mail'] = {
  greeting: '{name} 様',
  greetingPlain: 'お客様各位',
  invoiceSubject: '【{merchant}】請求書 {number} のお知らせ',
  invoiceText: '{merchant} より請求書 {number}（{amount}、お支払い期限 {date}）をお送りします。',
  installmentsText: '{count}回に分けてお支払いいただけます。初回は {amount}、期限は {date} です。',
  view: '請求書を見て支払う',
  attached: '請求書を PDF で添付しています。',
  reminderSubject: {
    before: '【{merchant}】請求書 {number} のお支払い期限は {date} です',
    today: '【{merchant}】請求書 {number} のお支払い期限は本日です',
    after: '【{merchant}】請求書 {number} のお支払い期限が過ぎています',
  },
  reminderText: {
    before: '請求書 {number} の {amount} のお支払い期限は {date} です。',
    today: '請求書 {number} の {amount} のお支払い期限は本日です。',
    after: '請求書 {number} の {amount} のお支払い期限は {date} でした。',
  },
  partlyPaid: '{total} のうち {paid} をお支払いいただきました。お支払い残額は {remaining} です。ありがとうございます。',
  partlyCredited: '{total} のうち {credited} を減額いたしました。お支払い残額は {remaining} です。',
  paidAndCredited:
    '{total} のうち {paid} をお支払いいただき、{credited} を減額いたしました。お支払い残額は {remaining} です。ありがとうございます。',
  alreadyPaid: 'すでにお支払いがお済みの場合は、お手続きの必要はございません。',
  pay: '{amount} を支払う',
  receiptSubject: '【{merchant}】請求書 {number} の領収のお知らせ',
  receiptText: '{merchant} は請求書 {number} について {amount} を受領しました。ありがとうございます。',
  receiptRest: 'お支払い残額は {amount}、期限は {date} です。',
  receiptNext: '次の分割払いは {amount}、期限は {date} です。お支払い残額は合計 {remaining} です。',
  receiptDone: 'この請求書は全額お支払い済みです。',
  creditNoteSubject: '【{merchant}】請求書 {number} のクレジットノート {note}',
  creditNoteText: '{merchant} は請求書 {number} から {amount} を減額し、クレジットノート {note} を発行しました。',
  creditKept: 'うち {amount} はお客様の残高としてお預かりします。',
  creditNoteRest: 'お支払い残額は {amount} です。',
  creditNoteDone: 'お支払い残額はございません。',
  creditNoteAttached: 'クレジットノートを PDF で添付しています。',
  voidSubject: '【{merchant}】請求書 {number} は取り消されました',
  voidText: '{merchant} は請求書 {number}（{amount}）を取り消しました。お支払いの必要はございません。',
  questions: 'ご不明な点は、このメールに返信するか、{contact} までお問い合わせください。',
  testMode: 'テストモード：実際のお金は動きません。',
};
