import type { payLinkStrings as english } from './en-pay-link.ts';

/** The sentences of the form that pays a link, in Japanese. */
export const payLinkStrings: typeof english = {
  choose: 'お支払い金額を入力してください',
  amount: '金額',
  currency: '通貨',
  between: '{min}から{max}まで',
  atLeast: '{min}以上',
  atMost: '{max}以下',
  amountMissing: '金額を入力してください。',
  amountWrong: '{currency}の金額を入力してください（例：{example}）。',
  closed: {
    used: 'このリンクの支払いは完了しています。|ご自身で支払われた場合、ほかに必要な手続きはありません。そうでない場合は、新しいリンクを依頼してください。',
    expired: 'このリンクの支払い期限は過ぎています。|新しいリンクを依頼してください。',
    disabled: 'このリンクでは現在お支払いできません。|作成者によって停止されています。',
    not_started: 'このリンクではまだお支払いできません。|{date}以降にもう一度開いてください。',
  },
  missing: 'このリンクは存在しません。|アドレスが途中で切れている可能性があります。送信者にお問い合わせください。',
  unreachable: '決済サービスから応答がありません。|通信環境をご確認ください。',
};
