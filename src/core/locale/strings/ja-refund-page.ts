import type { StringTables } from '../string-areas.ts';

/** Texts of the page on which a payer enters the destination of a refund, in Japanese. */
export const refundPageStrings: StringTables['refund-page'] = {
  title: '{merchant} · {amount} の返金',
  heading: '{merchant} からの返金',
  and: ' と ',
  form: '返金先',
  ask: '返金先を教えてください。',
  reasons: {
    unknown: 'お支払いの送金元を確認できませんでした。',
    no_trustline: 'お支払いの送金元アカウントは {asset} を保有できません。',
    destination_missing: 'お支払いの送金元アカウントはすでに存在しません。',
    other: 'お支払いの送金元アカウントが受け取れませんでした。',
  },
  address: 'お客様の Stellar アドレス',
  addressHint: 'G または M で始まります。ウォレットの「受け取る」に表示されます。',
  withMemo: 'アドレスにメモが付いている場合',
  memo: 'メモ',
  memoHint: '取引所ではアドレスの横に表示されます。メモがないと、お客様のお金だと判別できません。',
  memoType: 'メモの種類',
  memoTypes: { text: 'テキスト', id: '数字' },
  send: '{amount} をこの宛先へ送る',
  careful: 'アドレスをよくご確認ください。送った後は取り消せません。',
  sending: '送金中',
  sendingText: '返金を送っています。数秒かかります。このページで状況を確認できます。',
  sent: '送金しました',
  sentText: '返金を送りました。',
  to: '宛先',
  transaction: 'トランザクション',
  failed: 'この返金を送れませんでした',
  failedText: 'お金はまだ {merchant} にあります。お店へお問い合わせください。',
  help: 'この返金についてのお問い合わせ',
  helpShop: 'お支払い先のお店「{merchant}」へお問い合わせください。',
  testMode: 'テストモード：実際のお金は動きません。',
  missingTitle: 'この返金は存在しません',
  missingText:
    'アドレスが途中で切れている可能性があります。お店のリンクをもう一度開くか、新しいリンクをお店にご依頼ください。',
  errors: {
    empty: 'お客様の Stellar アカウントのアドレスを入力してください。',
    invalid:
      'Stellar のアドレスではありません。ウォレットからコピーしてください。G で始まる56文字か、M で始まるものです。',
    destination_missing:
      'このアドレスのアカウントはまだありません。少額の XLM で開設するか、別のアドレスを入力してください。',
    no_trustline:
      'このアカウントはまだ {asset} を保有できません。ウォレットに {asset} を追加してから、もう一度お試しください。',
    not_authorized: '{asset} の発行者がこのアカウントでの保有を許可していません。別のアカウントを入力してください。',
    account_limit_reached:
      'このアカウントは {asset} の保有上限に達します。ウォレットで上限を上げるか、別のアカウントを入力してください。',
    memo_required: 'このアカウントにはメモが必要です。取引所がアドレスとともに表示するメモを入力してください。',
    own_account: 'これはお支払い先のアドレスです。ご自身のアドレスを入力してください。',
    memo: 'メモが正しくありません。テキストは28文字まで、数字は数字のみです。',
    unavailable: '現在 Stellar ネットワークに接続できません。1分後にもう一度お試しください。',
    other: 'このアドレスは使えませんでした。別のアドレスを入力してください。',
  },
};
