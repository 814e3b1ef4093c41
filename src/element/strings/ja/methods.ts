import type { Parts } from '../parts.ts';

/** The bank tab, in Japanese. Text before `|` is bold. */
export const bankStrings: Parts['bank'] = {
  intro: 'ご自身の銀行口座から支払えます。|{amount} の振込先をご案内します。銀行のアプリまたはサイトをご利用ください。',
  choose: '銀行口座はどちらにありますか？',
  rails: { sepa: 'ヨーロッパ（ユーロ）', ach: 'アメリカ（米ドル）' },
  railNames: { sepa: 'SEPA 振込', ach: 'ACH 振込' },
  arrives0: '1分以内に着金します',
  arrives1: '1営業日で着金します',
  arrives: '{days}営業日で着金します',
  show: '振込先を表示する',
  shown: '振込先はこちらです。',
  scan: '銀行アプリから {amount} をお振り込みください。|コードを読み取ると、内容が自動で入力されます。{arrives}。',
  copy: '銀行アプリから {amount} をお振り込みください。|各項目をコピーしてください。振込番号で、お店がお客様のお支払いだと確認できます。{arrives}。',
  scanRest:
    '{received} を受領しました。|お支払い残額は {amount} です。コードを読み取るか、ほかの方法で残りをお支払いください。{arrives}。',
  copyRest:
    '{received} を受領しました。|お支払い残額は {amount} です。各項目をコピーするか、ほかの方法で残りをお支払いください。{arrives}。',
  code: '銀行アプリ用の振込コード：{amount}、振込番号 {reference}',
  otherDevice: '銀行アプリが別の端末にある場合は、こちらを読み取ってください。',
  details: '振込の詳細',
  labels: {
    account_holder: '口座名義',
    iban: 'IBAN',
    bic: 'BIC',
    routing_number: 'ルーティング番号',
    account_number: '口座番号',
    reference: '振込番号（必須）',
    amount: '金額',
  },
  waiting: '振込を待っています',
  leave: 'このページは閉じても構いません。お店にはこちらからお知らせします。',
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
  send: 'ウォレットから {amount} を送ってください。|コードを読み取るかウォレットアプリを開くと、内容が自動で入力されます。金額とアドレスをコピーすることもできます。',
  sendByApp:
    'ウォレットから {amount} を送ってください。|ウォレットアプリを開くと、内容が自動で入力されます。金額とアドレスをコピーすることもできます。',
  rest: '残りの {amount} を送ってください。|{received} を受領しました。',
  renewed:
    '本日のレートで {amount} を送ってください。|これまでは {before} でした。コードを読み取り直すか、金額をコピーし直してください。',
  amount: { label: '送金する金額（このとおりに）', name: '金額' },
  address: { label: '送金先アドレス', name: 'アドレス' },
  memo: { label: 'メモ（{type}、必須）', name: 'メモ' },
  base: { label: '送金先アドレス', name: 'G… アドレス' },
  issuer: { label: 'ここでの {code} の発行者', name: '発行者' },
  code: '{chain} ウォレット用のお支払いコード：{amount}',
  otherDevice: 'ウォレットが別の端末にある場合は、こちらを読み取ってください。',
  app: 'ウォレットアプリで開く',
  notOpened:
    '何も開きませんか？|この端末には、このリンクに対応したウォレットアプリがありません。代わりに金額とアドレスをコピーしてください。',
  byHand: 'M で始まるアドレスに送れないウォレットの場合',
  byHandText: 'このアドレスとメモを使ってください。メモで、お店がお客様のお支払いだと確認できます。',
  waiting: 'お支払いを待っています',
  step: 'ステップ 1 / 3',
  leave: '数秒で確認できます。このページは閉じても構いません。お店にはこちらからお知らせします。',
  pay: 'Freighter で支払う',
};

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

/** Paying with a wallet in this browser, in Japanese. Text before `|` is bold. */
export const walletStrings: Parts['wallet'] = {
  doing: {
    looking: '{wallet} を探しています',
    connecting: '{wallet} でこのページを許可してください',
    reading: 'アカウントを確認しています',
    building: 'お支払いを準備しています',
    signing: '{wallet} で確認してください',
    submitting: 'お支払いを送信しています',
  },
  again: 'もう一度試す',
  next: '{code} で進む',
  sign: '{wallet} で確認する',
  check: 'もう一度確認する',
  stop: '{wallet} を待たずに戻る',
  back: '代わりにコードを使う',
  get: '{wallet} を入手する',

  missing:
    'このブラウザーに {wallet} がありません。|追加してもう一度試すか、上のコードを使ってほかの Stellar ウォレットからお支払いください。',
  refused:
    'このページへのアカウント表示が許可されませんでした。|何も送られていません。もう一度試すか、上のコードでお支払いください。',
  silent: '{wallet} から応答がありません。|開いてロックを解除し、もう一度試すか、上のコードでお支払いください。',
  elsewhere:
    'ウォレットは {theirs}、このお支払いは {ours} のネットワークです。|{wallet} の上部にあるネットワーク一覧で {name} を選び、もう一度お試しください。',
  networks: { TESTNET: 'Test Net', PUBLIC: 'Main Net' },
  unread: 'アカウントを確認できませんでした。|何も送られていません。もう一度試すか、上のコードでお支払いください。',
  accounts: {
    account_missing:
      'アカウント {account} はまだ {ours} にありません。|XLM を入れるか、{wallet} で別のアカウントを選んで、もう一度お試しください。',
    wrong_address:
      '{wallet} に表示されたアカウントはここでは使えません。|{wallet} で別のアカウントを選んで、もう一度お試しください。',
  },

  choose: '{amount} の支払いに使うもの',
  account: 'アカウント {account}',
  about: '約 {amount}',
  balance: '残高 {balance}',
  tooLittle: '残高 {balance}（不足しています）',
  noWay: '残高 {balance}（交換先が見つかりません）',
  nothing:
    'このアカウントの残高では足りません。|残高を増やすか、{wallet} で別のアカウントを選んで、もう一度お試しください。',

  review:
    'お支払いは約 {amount} で、{max} を超えることはありません。|ネットワークに届くまでに、価格は最大 {slippage} % 動くことがあります。それを超える場合は何も送られません。',
  reviewExact: 'お支払いは {amount} です。|請求どおりの通貨なので、途中の交換はありません。',
  details: 'お支払い内容',
  arrives: 'このお支払いに届く額',
  from: '送金元アカウント',
  route: '途中の交換',
  fee: 'ネットワーク手数料（約）',

  rejected: '{wallet} で確認されませんでした。|何も送られていません。今からでも確認するか、代わりにコードを使えます。',
  unsigned: '{wallet} で署名できませんでした。|何も送られていません。開いてロックを解除し、もう一度確認してください。',
  unsure:
    'お支払いがネットワークに届いたか、まだ分かりません。|二重に支払わないでください。確認を続けており、このページは自動で更新されます。',
  failed: 'うまくいきませんでした。|何も送られていません。もう一度試すか、代わりにコードを使ってください。',
  problems: {
    wallet_transaction_changed:
      '{wallet} が署名した内容が、準備した内容と異なります。|何も送られていません。もう一度確認してください。',
    wallet_transaction_expired: '確認の時間が過ぎました。|何も送られていません。本日の価格でもう一度確認してください。',
    stellar_price_moved:
      '価格が許容範囲を超えて動きました。|何も送られていません。本日の価格でもう一度確認してください。',
    stellar_bad_signature:
      '署名がアカウント {account} のものではありません。|何も送られていません。{wallet} でそのアカウントを選び、もう一度確認してください。',
    stellar_no_trustline:
      'お客様かお店のアカウントが {code} に対応していません。|何も送られていません。ほかのもので支払うか、{wallet} に {code} を追加してください。',
    stellar_underfunded:
      'アカウントの {code} が足りません。|何も送られていません。ほかのもので支払うか、残高を増やしてください。',
    stellar_no_path:
      '現在、このお支払いのために {code} を交換できる相手がいません。|何も送られていません。ほかのものでお支払いください。',
    stellar_account_missing:
      'アカウントがこのネットワークにありません。|何も送られていません。{wallet} で別のアカウントを選んで、もう一度お試しください。',
  },
};
