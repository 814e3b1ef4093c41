import type { StringTables } from '../string-areas.ts';

/** Texts of the page of a payment link, in Japanese. */
export const linkStrings: StringTables['link'] = {
  title: '{merchant} へのお支払い',
  chooseAmount: 'お支払い金額を入力してください',
  amount: '金額',
  currency: '通貨',
  between: '{min} から {max} まで',
  atLeast: '{min} 以上',
  atMost: '{max} まで',
  next: '次へ',
  amountMissing: '金額を入力してください。',
  tooLittle: '{min} 以上の金額を入力してください。',
  tooMuch: '{max} までの金額を入力してください。',
  usedTitle: 'このリンクは使用済みです',
  usedText:
    'このリンクの支払いはすでに完了しています。ご自身で支払われた場合、ほかに必要な手続きはありません。そうでない場合は、{merchant}に新しいリンクをご依頼ください。',
  expiredTitle: 'このリンクは期限が切れました',
  expiredText: '有効期限は {date} まででした。新しいリンクを {merchant} にご依頼ください。',
  until: 'お支払い期限：{date}',
  notStartedTitle: 'このリンクではまだお支払いできません',
  notStartedText: '{date}からお支払いいただけます。その後にもう一度開いてください。',
  yourChoice: '金額はご自身で決められます',
  disabledTitle: 'このリンクは現在ご利用いただけません',
  disabledText: '{merchant} が停止しています。{merchant} へお問い合わせください。',
  missingTitle: 'このリンクは存在しません',
  missingText: 'アドレスが途中で切れている可能性があります。リンクをもう一度開くか、送り主にお問い合わせください。',
  thanks: 'ありがとうございます',
};
