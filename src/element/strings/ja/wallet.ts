import type { Parts } from '../parts.ts';

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
