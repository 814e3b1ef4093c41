import type { Parts } from '../parts.ts';

/** The bank tab, in Japanese. Text before `|` is bold. */
export const bankStrings: Parts['bank'] = {
  intro: 'ご自身の銀行口座から支払えます。|{amount} の振込先をご案内します。銀行のアプリまたはサイトをご利用ください。',
  choose: '銀行口座はどちらにありますか？',
  rails: { sepa: 'ヨーロッパ（ユーロ）', ach: 'アメリカ（米ドル）' },
  railNames: { sepa: 'SEPA 振込', ach: 'ACH 振込' },
  arrives0: '1分以内に着金します',
  arrives1: '1銀行営業日で着金します',
  arrives: '{days}銀行営業日で着金します',
  show: '振込先を表示する',
  shown: '振込先はこちらです。',
  scan: '銀行アプリから {amount} をお振り込みください。|コードを読み取ると、すべての項目が入力されます。{arrives}。',
  copy: '銀行アプリから {amount} をお振り込みください。|各項目をコピーしてください。振込番号で、お店がお客様のお支払いだと確認できます。{arrives}。',
  scanRest:
    'お支払い残額は {amount} です。|{received} を受領し、このお支払いに充当しました。コードを読み取るか、ほかの方法で残りをお支払いください。{arrives}。',
  copyRest:
    'お支払い残額は {amount} です。|{received} を受領し、このお支払いに充当しました。各項目をコピーするか、ほかの方法で残りをお支払いください。{arrives}。',
  code: '銀行アプリ用の振込コード：{amount}、振込番号 {reference}',
  otherDevice: '銀行アプリが別の端末にある場合は、こちらを読み取ってください。',
  details: '振込の詳細',
  labels: {
    account_holder: '口座名義',
    iban: 'IBAN',
    bic: 'BIC',
    routing_number: 'ルーティング番号',
    account_number: '口座番号',
    reference: '振込番号（必ず入力）',
    amount: '金額',
  },
  waiting: '振込を待っています',
  leave: 'このページは閉じても構いません。お店には自動で通知されます。',
  otherRail: 'ほかの振込方法を使う',
  simulate: '銀行の動作を試す',
  simulatePart: '一部だけ送金する',
  simulateNote: 'テストモード：実際のお金は動きません。',
};

/** The dialog with the bank's page (3-D Secure), in Japanese. Text before `|` is bold. */
export const challengeStrings: Parts['challenge'] = {
  title: 'カード会社による本人確認',
  newWindow: '何も表示されない場合は、カード会社のページを新しいウィンドウで開いてください',
  unsafe: 'カード会社のページを開けません。|別のカード、またはほかのお支払い方法をご利用ください。',
  close: '閉じる',
};

/** The crypto tab, in Japanese. Text before `|` is bold. */
export const cryptoStrings: Parts['crypto'] = {
  choose: '何で支払いますか？',
  names: {
    USDC: '米ドル',
    EURC: 'ユーロ',
    XLM: 'Stellar ルーメン',
    NGNC: 'ナイジェリア・ナイラ',
    BRLC: 'ブラジル・レアル',
  },
  fee: '{chain} 経由で約{time}で届きます。別途、約 {fee} のネットワーク手数料がかかります。',
  next: '{code} で進む',
  on: '{chain} の {code}',
  change: '変更',
  changeWhat: '支払いに使うものを変更する',
  shown: '送金する金額と送金先はこちらです。',
  send: 'ウォレットから {amount} を送ってください。|コードを読み取るかウォレットアプリを開くと、すべて入力されます。金額とアドレスをコピーすることもできます。',
  sendByApp:
    'ウォレットから {amount} を送ってください。|ウォレットアプリを開くと、すべて入力されます。金額とアドレスをコピーすることもできます。',
  rest: '残りの {amount} を送ってください。|{received} は受領済みです。',
  renewed:
    '本日のレートで {amount} を送ってください。|これまでは {before} でした。コードを読み取り直すか、金額をコピーし直してください。',
  amount: { label: '送金する金額（このとおりに）', name: '金額' },
  address: { label: '送金先アドレス', name: 'アドレス' },
  memo: { label: 'メモ（{type}、必ず入力）', name: 'メモ' },
  base: { label: '送金先アドレス', name: 'G… アドレス' },
  issuer: { label: 'ここでの {code} の発行者', name: '発行者' },
  code: '{chain} ウォレット用のお支払いコード：{amount}',
  otherDevice: 'ウォレットが別の端末にある場合は、こちらを読み取ってください。',
  app: 'ウォレットアプリで開く',
  notOpened:
    '何も開きませんか？|この端末には、このリンクに対応したアプリがありません。コードを読み取るか、金額とアドレスをコピーしてください。',
  byHand: 'M で始まるアドレスに送れないウォレットの場合',
  byHandText: 'このアドレスとメモを使ってください。メモで、お店がお客様のお支払いだと確認できます。',
  waiting: 'お支払いを待っています',
  step: 'ステップ 1 / 3',
  leave: '数秒で確認できます。このページは閉じても構いません。お店には自動で通知されます。',
  pay: 'Freighter で支払う',
};
