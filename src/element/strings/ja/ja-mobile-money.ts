import type { mobileMoneyStrings } from '../en/mobile-money.ts';
import type { phonePromptStrings } from '../en/phone-prompt.ts';

/** The mobile-money tab, in Japanese. Text before `|` is bold. */
export const strings: typeof mobileMoneyStrings & typeof phonePromptStrings = {
  intro:
    'お使いの携帯電話でお支払いください。|携帯電話に確認画面が届きます。{amount} のお支払いを暗証番号で承認してください。',
  converted: '{due} を本日のレートで換算し、端数を切り上げた額です。',
  country: '国',
  number: '電話番号',
  operator: '通信会社を選んでください',
  found: '通信会社：{operator}',
  missing: '電話番号を入力してください。',
  short: '番号が短すぎます。{country}の番号は {code} の後が {digits} 桁です。',
  long: '番号が長すぎます。{country}の番号は {code} の後が {digits} 桁です。',
  foreign: 'この番号の国ではご利用いただけません。利用できる国：{countries}',
  choose: '通信会社を選んでください。',
  ported: '{operator} の番号ではないようです。番号をそのままに通信会社を変えた場合は、このままお進みください。',
  send: '携帯電話に確認を送る',
  title: '携帯電話で確認してください',
  text: '{operator} から {number} に確認画面を送りました。{amount} のお支払いを暗証番号で承認してください。暗証番号は携帯電話だけで入力してください。',
  details: '携帯電話の確認画面',
  amount: 'お支払い額',
  due: 'お店の請求額',
  to: '送信先',
  ends: '残り時間：{time}',
  ended: '確認の時間が過ぎました。|承認されたかどうかを {operator} に確認しています。通常は数秒、長くても1分ほどです。',
  help: '携帯電話に何も届きませんか？',
  helpText:
    'この番号の携帯電話の電源が入り、電波が届いていることをご確認ください。ロックを解除して30秒ほどお待ちください。届かない場合は、時間切れになってからもう一度お試しください。',
  twice: 'ほかの方法で支払う場合は、二重払いにならないように、先に携帯電話の確認画面で拒否してください。',
  other: 'ほかの方法で支払う',
  shown: '携帯電話に確認画面を送りました。携帯電話で確認してください。',
  open: '携帯電話に確認画面が届いています。|ほかの方法で支払う前に、携帯電話で拒否してください。',
  problems: {
    prompt_refused: '携帯電話で拒否されました。|引き落としはありません。もう一度試すか、ほかの方法でお支払いください。',
    wrong_pin: '暗証番号が違います。|引き落としはありません。モバイルマネーの暗証番号でもう一度お試しください。',
    insufficient_funds: '残高が足りません。|引き落としはありません。チャージするか、ほかの方法でお支払いください。',
    prompt_expired:
      '時間内に確認されませんでした。|引き落としはありません。携帯電話を手元に置いて、もう一度お試しください。',
    number_not_registered:
      'この番号にはモバイルマネーの口座がありません。|番号を確認するか、別の通信会社を選んでください。',
    operator_limit:
      '口座の限度額を超えています。|引き落としはありません。通信会社に確認するか、ほかの方法でお支払いください。',
    processing_error:
      '通信会社で処理できませんでした。|引き落としはありません。しばらくしてからもう一度お試しください。',
    prompt_unanswered:
      '最初の確認画面で支払われたかどうか、まだ分かりません。|もう一度送る前に、携帯電話のメッセージをご確認ください。',
    price_changed: '金額が {amount} に変わりました。|確認を送りますか？',
    payment_in_flight: '確認画面がすでに届いています。|携帯電話で答えるか、時間が過ぎるまでお待ちください。',
    invalid_phone_number: 'この番号には確認を送れません。|この通信会社の携帯電話番号かどうかをご確認ください。',
    amount_out_of_range: 'この通信会社で扱える金額ではありません。|別の通信会社か、ほかの方法でお支払いください。',
    unavailable:
      '通信会社から応答がありません。|引き落としはありません。しばらくしてからもう一度試すか、ほかの方法でお支払いください。',
    operator_unavailable:
      '通信会社から応答がありません。|引き落としはありません。しばらくしてからもう一度試すか、ほかの方法でお支払いください。',
  },
};
