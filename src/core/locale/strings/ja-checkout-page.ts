import type { StringTables } from '../string-areas.ts';

/** Texts of the hosted checkout and the service's notices, in Japanese. */
export const checkoutPageStrings: StringTables['checkout-page'] = {
  title: '{merchant} へのお支払い · {amount}',
  payTo: '{merchant} へのお支払い',
  order: 'ご注文内容',
  payment: 'お支払い',
  reference: '注文 {reference}',
  times: '{name} × {quantity}',
  oneItem: '1点',
  items: '{count}点',
  subtotal: '小計',
  total: '合計',
  received: '受領済み',
  due: 'お支払い残額',
  stillDue: 'お支払い残額',
  back: 'お店に戻る',
  help: 'ご注文についてのお問い合わせ',
  helpShop: 'ご利用元のお店「{merchant}」へお問い合わせください。',
  noScript: 'ここでお支払いになるには、このページの JavaScript を許可して、読み込み直してください。',
  receipt: '領収書をダウンロード',
  leaving: 'まもなく {merchant} に戻ります。',
  stay: 'このページに残る',
  language: '言語',
  missingTitle: 'このお支払いページは存在しません',
  missingText:
    'アドレスが途中で切れている可能性があります。お店のリンクをもう一度開くか、新しいリンクをお店にご依頼ください。',
  waitTitle: 'しばらくお待ちください',
  waitText:
    'お使いのネットワークからのアクセスが集中しています。1分ほど待ってから、このページを読み込み直してください。',
  returnTitle: 'このウィンドウは閉じて構いません',
  returnText: 'カード会社の確認が終わりました。お支払い画面は、もう一方のウィンドウで自動的に続きます。',
};
