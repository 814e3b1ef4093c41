import type { Parts } from '../parts.ts';

/** The shop's contact, in Japanese. */
export const contactStrings: Parts['contact'] = {
  write: 'ご不明な点は {name} へメールでお問い合わせください：{address}',
  visit: 'ご不明な点は {name} へお問い合わせください',
  ask: 'ご不明な点は、ご利用元のお店「{name}」へお問い合わせください。',
  askUnknown: 'ご不明な点は、ご利用元のお店へお問い合わせください。',
};

/** The customer form, in Japanese. */
export const detailsStrings: Parts['details'] = {
  title: 'お支払いになる方',
  email: 'メールアドレス',
  emailHint: 'お問い合わせの際の連絡先',
  emailMissing: 'メールアドレスを入力してください。',
  emailWrong: 'name@example.com の形で入力されているかご確認ください。',
  name: 'お名前',
  nameHint: '姓と名',
  nameMissing: 'お名前を入力してください。',
  next: '次へ',
  failed: 'お支払いを開始できませんでした。|{message}',
  unreachable: '決済サービスから応答がありません。|通信環境を確認して、もう一度「次へ」を押してください。',
};

/** The pay button and the dialog, in Japanese. */
export const launcherStrings: Parts['launcher'] = {
  pay: '{amount} を支払う',
  plain: '支払う',
  dialog: 'お支払い',
  close: 'お支払い画面を閉じる',
};

/** The outcome of a payment, in Japanese. */
export const outcomeStrings: Parts['outcome'] = {
  paid: 'お支払いが完了しました',
  paidTo: '{name} へ {amount}',
  authorized: {
    title: 'カードのご利用枠を確保しました',
    text: '{name} が後ほど（商品の発送時など）最大 {amount} を請求します。お手続きはこれで完了です。',
  },
  with: 'お支払い方法',
  date: '日時',
  reference: '参照番号',
  payment: 'お支払い番号',
  transaction: '取引',
  receipt: '領収書をダウンロード',
  method: { card: 'カード', bank_transfer: '銀行振込', crypto: '暗号資産', mobile_money: 'モバイルマネー' },
  details: 'お控えください',
  shop: 'お店',
  overpaid: '請求額より {amount} 多く送られました。|お金は安全です。お店が返金するか、取り扱いをお尋ねします。',
  stillDue: 'お支払い残額は {amount} です。|残りは今すぐ、または後ほど同じリンクからお支払いいただけます。',
  payRest: '残額を支払う',
  partlyBack: '{amount} を返金しました。|{when}',
  back: 'お店に戻る',
  unpaid: {
    expired: {
      title: 'このお支払いは期限が切れました',
      text: '請求は発生していません。お店からもう一度やり直せます。',
      transfer:
        'すでに送金された場合は、重ねてお支払いにならないでください。お店にはこちらからお知らせし、お店が注文を完了するか返金します。',
    },
    canceled: {
      title: '{name} がこのお支払いを取り消しました',
      text: 'お支払いの必要はなく、請求も発生していません。',
      prompt: 'お支払いの必要はありません。携帯電話に確認画面が届いていたら、拒否してください。',
    },
    declined: {
      title: 'お支払いを完了できませんでした',
      text: '試行回数が多すぎます。請求は発生していません。お店からもう一度やり直せます。',
    },
    uncaptured: {
      title: 'お支払いを完了できませんでした',
      text: 'カード会社に承認されませんでした。請求は発生していません。お店からもう一度やり直せます。',
    },
    linkUsed: {
      title: 'すでにほかの方がお支払い済みです',
      text: 'このリンクは支払い済みです。請求は発生していません。',
    },
    invoicePaid: {
      title: 'この請求書はすでに支払い済みです',
      text: 'お支払いの必要はなく、ここでの請求も発生していません。',
    },
    linkClosed: {
      title: 'このリンクではお支払いできなくなりました',
      text: '請求は発生していません。新しいリンクをご依頼ください。',
    },
  },
  kept: '{amount} を受領し、安全にお預かりしています。|お店が注文を完了するか、返金します。',
  keptFromLink: '{amount} を返金します。|お支払いがまだ必要かどうかは、リンクをもう一度開いてご確認ください。',
  keptOther: 'お送りいただいたものは安全です。|請求とは異なるものでした。お店が注文を完了するか、返却します。',
  late: 'このお支払いの期限が切れた後に着金しました。|{amount} は安全です。お店が注文を完了するか、返金します。',
  lateAfterEnd: 'このお支払いが終了した後に着金しました。|{amount} は安全です。お店が注文を完了するか、返金します。',
  closed: {
    title: '現在ご利用いただけるお支払い方法がありません',
    text: 'このお店のお支払い方法はまだ利用できません。請求は発生していません。',
  },
  refunded: '返金の手続きをしました',
  refundedText: '{amount} を返金しました。{when}',
  when: {
    bank: '銀行での反映には最大10日かかります。',
    wallet: '送金元のウォレットに数分以内に届きます。',
  },
};

/** Texts around the methods' panels, in Japanese. */
export const panelStrings: Parts['panels'] = {
  backTo: '{name} に戻る',
};

/** The form of a payment link, in Japanese. Text before `|` is bold. */
export const payLinkStrings: Parts['payLink'] = {
  choose: 'お支払い金額を入力してください',
  amount: '金額',
  currency: '通貨',
  between: '{min}から{max}まで',
  atLeast: '{min}以上',
  atMost: '{max}まで',
  amountMissing: '金額を入力してください。',
  amountWrong: '{currency}の金額を入力してください（例：{example}）。',
  closed: {
    used: 'このリンクの支払いは完了しています。|ご自身で支払われた場合、ほかに必要な手続きはありません。そうでない場合は、新しいリンクを依頼してください。',
    expired: 'このリンクは期限が切れました。|新しいリンクを依頼してください。',
    disabled: 'このリンクでは現在お支払いできません。|作成者によって停止されています。',
    not_started: 'このリンクではまだお支払いできません。|{date}以降にもう一度開いてください。',
  },
  missing: 'このリンクは存在しません。|アドレスが途中で切れている可能性があります。送信者にお問い合わせください。',
  unreachable: '決済サービスから応答がありません。|通信環境をご確認ください。',
};

/** Rows with a copy button, in Japanese. */
export const rowStrings: Parts['rows'] = {
  copy: '{label}をコピー',
  copied: '{label}をコピーしました',
  selected: 'このブラウザーではコピーできません。{label}を選択しましたので、ご自身でコピーしてください。',
};

/** Notes about an open payment, in Japanese. Text before `|` is bold. */
export const situationStrings: Parts['situation'] = {
  offline: {
    quiet: 'オフラインです。|接続が戻り次第、このページは続きから動作します。',
    unanswered: 'オフラインです。|お支払いは安全です。接続が戻り次第、完了したか確認します。',
    lost: 'オフラインです。|送信できませんでした。接続が戻ったら、もう一度押してください。',
  },
  unreachable: {
    quiet: '決済サービスから応答がありません。|再接続を続けています。失われたものはありません。',
    unanswered: '応答がありませんでした。|お支払いは安全です。もう一度試しても二重に請求されることはありません。',
    lost: '応答がありませんでした。|もう一度押してください。',
  },
  lost: '送信できませんでした。|もう一度押してください。',
  short: '{received} を受領しました。|お支払い残額は {amount} です。残りはお好きな方法でお支払いください。',
  wrongAsset:
    '{sent} が送られましたが、請求は {asked} です。|お預かりしているので安全です。お店が返却するか受け取ります。このお支払いはまだ有効です。',
  wrong:
    '請求とは異なるものが送られました。|お預かりしているので安全です。お店が返却するか受け取ります。このお支払いはまだ有効です。',
  waiting: 'お支払いを処理しています',
  seen: '確認できました。承認を待っています。通常は数秒、まれに1分ほどかかります。',
  seenOnChain: 'ネットワークに届き、数秒で承認されます。',
  confirmations: '承認数：{needed} 件中 {count} 件。',
  leave: 'このページは閉じても構いません。お店にはこちらからお知らせします。',
  steps: 'ステップ 2 / 3：確認済み、承認待ち',
  failed: 'うまくいきませんでした。|請求は発生していません。もう一度お試しください。',
};

/** Notes about an expired rate, in Japanese. Text before `|` is bold. */
export const rateStrings: Parts['rate'] = {
  lastMinute: 'このレートはあと1分です。',
  refresh: '本日のレートを取得する',
  over: 'お約束したレートの保証時間が過ぎました。|本日のレートを取得すると続けられます。入力した内容はそのまま残ります。',
  overWaiting: 'お約束したレートの保証時間が過ぎました。|すでに送った振込は有効です。',
  renewed: '本日のレートになりました。|お支払い額は変わらず {amount} です。',
  before: '{amount} は以前',
  now: '{amount} は現在',
};

/** Messages when no payment can be shown, in Japanese. Text before `|` is bold. */
export const troubleStrings: Parts['trouble'] = {
  notStarted: 'お支払いを開けませんでした。|{message}',
  noAnswer: '決済サービスから応答がありません。|通信環境を確認して、もう一度お試しください。',
  ask: '解決しない場合は、ご利用元のお店へお問い合わせください。',
  back: 'お店に戻る',
};

/** The service's error messages by code, in Japanese. Text before `|` is bold. */
export const problems: Parts['problems'] = {
  not_set_up: 'このお支払い画面は正しく設定されていません。|お店へお問い合わせください。',
  card_declined:
    'カード会社がこのカードを承認しませんでした。|請求は発生していません。別のカードを使うか、カード会社へお問い合わせください。',
  insufficient_funds:
    'カードの残高が足りません。|請求は発生していません。別のカードかほかのお支払い方法をご利用ください。',
  incorrect_number: 'カード番号が正しくありません。|請求は発生していません。番号を確認して、もう一度お試しください。',
  invalid_expiry: '有効期限が正しくありません。|請求は発生していません。月と年をご確認ください。',
  expired_card: 'このカードは有効期限が切れています。|請求は発生していません。別のカードをお使いください。',
  incorrect_cvc:
    'セキュリティコードが正しくありません。|請求は発生していません。コードを確認して、もう一度お試しください。',
  processing_error:
    'カード会社で処理できませんでした。|請求は発生していません。しばらくしてからもう一度お試しください。',
  authentication_failed:
    '本人確認ができませんでした。|請求は発生していません。もう一度試すか、別のカードをお使いください。',
  too_many_attempts: '試行回数が多すぎます。|請求は発生していません。しばらく待ってからもう一度お試しください。',
  rate_limited: 'アクセスが集中しています。|しばらく待ってからもう一度お試しください。',
  resource_missing: 'このお支払いは見つかりません。|お店のリンクをもう一度開いてください。',
  client_secret_mismatch: 'ここからはこのお支払いを開けません。|お店のリンクをもう一度開いてください。',
  payment_expired: 'このお支払いは期限が切れました。|お店からもう一度やり直してください。',
  payment_already_settled: 'このお支払いはすでに終了しています。|ページを読み込み直して状態をご確認ください。',
  payment_in_flight: 'すでに処理中のお支払いがあります。|結果が出てから、もう一度お試しください。',
  rate_unavailable: '現在レートを取得できません。|1分後にもう一度試すか、ほかの方法でお支払いください。',
  unavailable: 'サービスは一時的にご利用いただけません。|しばらくしてからもう一度お試しください。',
  internal_error: '当サービス側で問題が発生しました。|しばらくしてからもう一度お試しください。',
  invalid_email: 'メールアドレスが正しくありません。|確認して、もう一度お試しください。',
};
