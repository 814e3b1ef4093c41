import type { Parts } from '../parts.ts';

/** The card tab, in Japanese. Text before `|` is bold. */
export const cardStrings: Parts['card'] = {
  frameTitle: 'カード情報：番号、有効期限、セキュリティコード、名義',
  pay: '{amount} を支払う',
  check: '次の項目をご確認ください：{fields}',
  and: '、',
  fields: { number: 'カード番号', expiry: '有効期限', cvc: 'セキュリティコード', name: 'カード名義' },
  loading: 'カードの入力欄を読み込んでいます。|しばらくしてから「支払う」を押してください。',
  frameFailed: 'カードの入力欄を読み込めませんでした。|通信環境を確認して、もう一度お試しください。',
  again: 'カードの入力欄を読み込み直す',
  frameSilent: 'カードを確認できませんでした。|請求は発生していません。もう一度お試しください。',
  unsent: 'お支払いは完了しておらず、請求も発生していません。|もう一度「支払う」を押してください。',
  challenge: 'カード会社による本人確認が必要です。|1分ほどで終わり、その後お支払いが完了します。',
  challengeAction: 'カード会社の画面へ進む',
  otherCard: '別のカードを使う',
};

/** The card fields, in Japanese. */
export const cardFrameStrings: Parts['cardFrame'] = {
  number: 'カード番号',
  numberHint: '1234 1234 1234 1234',
  expiry: '有効期限',
  expiryHint: '月 / 年',
  cvc: 'セキュリティコード',
  cvcHint3: '3桁',
  cvcHint4: '4桁',
  name: 'カード名義',
  nameHint: 'カードの表記どおり',
  numberMissing: 'カード番号を入力してください。',
  numberInvalid: 'カード番号が正しくありません。数字をご確認ください。',
  numberUnsupported: 'この種類のカードはご利用いただけません。別のカードをお使いください。',
  expiryMissing: '有効期限を入力してください。',
  expiryInvalid: '04\u00a0/\u00a029 のように、月と年を入力してください。',
  expiryPast: 'このカードは有効期限が切れています。別のカードをお使いください。',
  cvcMissing: 'セキュリティコードを入力してください。',
  cvcInvalid: 'セキュリティコードをすべて入力してください。',
  nameMissing: 'カード名義を入力してください。',
  offline: 'オフラインです。請求は発生していません。接続してからもう一度お試しください。',
  unavailable: 'カードを確認できませんでした。請求は発生していません。しばらくしてからもう一度お試しください。',
};
