import type { Parts } from '../parts.ts';

/** The shop's contact, in Arabic. */
export const contactStrings: Parts['contact'] = {
  write: 'لديك سؤال؟ راسل {name}: {address}',
  visit: 'لديك سؤال؟ يمكن لـ {name} مساعدتك',
  ask: 'لديك سؤال؟ تواصل مع {name}، المتجر الذي جئت منه.',
  askUnknown: 'لديك سؤال؟ تواصل مع المتجر الذي جئت منه.',
};

/** The customer form, in Arabic. */
export const detailsStrings: Parts['details'] = {
  title: 'من الذي يدفع؟',
  email: 'البريد الإلكتروني',
  emailHint: 'إن كانت هناك أسئلة',
  emailMissing: 'أدخل عنوان بريدك الإلكتروني.',
  emailWrong: 'تحقّق من العنوان: يجب أن يكون على شكل \u2066name@example.com\u2069.',
  name: 'الاسم',
  nameHint: 'الاسم الأول واسم العائلة',
  nameMissing: 'أدخل اسمك.',
  next: 'متابعة',
  failed: 'تعذّر بدء الدفع.|{message}',
  unreachable: 'خدمة الدفع لا تستجيب.|تحقّق من اتصالك بالإنترنت واضغط «متابعة» مرة أخرى.',
};

/** The pay button and the dialog, in Arabic. */
export const launcherStrings: Parts['launcher'] = {
  pay: 'ادفع {amount}',
  plain: 'ادفع',
  dialog: 'الدفع',
  close: 'إغلاق صفحة الدفع',
};

/** The outcome of a payment, in Arabic. */
export const outcomeStrings: Parts['outcome'] = {
  paid: 'تم الدفع، شكرًا لك',
  paidTo: '{amount} إلى {name}',
  authorized: {
    title: 'تم حجز المبلغ على بطاقتك، شكرًا لك',
    text: 'يخصم {name} لاحقًا ما يصل إلى {amount}، عند شحن طلبك مثلًا. ليس عليك فعل أي شيء آخر.',
  },
  with: 'طريقة الدفع',
  date: 'التاريخ',
  reference: 'الرقم المرجعي',
  payment: 'رقم الدفعة',
  transaction: 'المعاملة',
  receipt: 'تنزيل الإيصال',
  method: { card: 'بطاقة', bank_transfer: 'تحويل بنكي', crypto: 'عملة مشفّرة', mobile_money: 'مال عبر الهاتف' },
  details: 'ما تحتفظ به',
  shop: 'المتجر',
  overpaid: 'أرسلت {amount} أكثر من المطلوب.|المبلغ في أمان. يعيده المتجر إليك أو يسألك ماذا يفعل به.',
  stillDue: 'المبلغ المتبقي: {amount}.|يمكنك دفع الباقي الآن، أو لاحقًا بالرابط نفسه.',
  payRest: 'ادفع الباقي',
  partlyBack: 'أُعيد إليك {amount}.|{when}',
  back: 'العودة إلى المتجر',
  unpaid: {
    expired: {
      title: 'انتهت صلاحية هذه الدفعة',
      text: 'لم يُخصم أي مبلغ. يمكنك البدء من جديد من المتجر.',
      transfer: 'إذا سبق أن أرسلت المبلغ فلا تدفع مرة أخرى: سنُعلم المتجر بذلك، وسيكمل الطلب أو يعيد المبلغ.',
    },
    canceled: {
      title: 'ألغى {name} هذه الدفعة',
      text: 'لم يعد هناك ما يُدفع، ولم يُخصم أي مبلغ.',
    },
    declined: {
      title: 'تعذّر إتمام هذه الدفعة',
      text: 'محاولات كثيرة جدًا. لم يُخصم أي مبلغ. يمكنك البدء من جديد من المتجر.',
    },
    uncaptured: {
      title: 'تعذّر إتمام هذه الدفعة',
      text: 'رفضها البنك الذي أصدر بطاقتك. لم يُخصم أي مبلغ. يمكنك البدء من جديد من المتجر.',
    },
    linkUsed: {
      title: 'سبق أن دفع شخص آخر هذا المبلغ',
      text: 'دُفع هذا الرابط. لم يُخصم منك أي مبلغ.',
    },
    invoicePaid: {
      title: 'سبق دفع هذه الفاتورة',
      text: 'لم يعد هناك ما يُدفع، ولم يُخصم هنا أي مبلغ.',
    },
    linkClosed: {
      title: 'لم يعد الدفع بهذا الرابط ممكنًا',
      text: 'لم يُخصم أي مبلغ. اطلب رابطًا جديدًا.',
    },
  },
  kept: 'استلمنا {amount}، وهو في أمان.|سيكمل المتجر الطلب أو يعيد المبلغ إليك.',
  keptFromLink: 'يُعاد إليك {amount}.|افتح الرابط مرة أخرى لترى هل بقي ما يُدفع.',
  keptOther: 'ما أرسلته في أمان.|لكنه غير ما طُلب. سيكمل المتجر الطلب أو يعيده إليك.',
  late: 'وصل مبلغك بعد انتهاء صلاحية هذه الدفعة.|{amount} في أمان. سيكمل المتجر الطلب أو يعيد المبلغ إليك.',
  closed: {
    title: 'لا توجد طريقة للدفع هنا حاليًا',
    text: 'طرق الدفع التي يقدّمها هذا المتجر غير متاحة بعد. لم يُخصم أي مبلغ.',
  },
  refunded: 'مبلغك في طريقه إليك',
  refundedText: 'أُعيد إليك {amount}. {when}',
  when: {
    bank: 'قد تحتاج البنوك إلى 10 أيام حتى يظهر المبلغ.',
    wallet: 'يصل خلال دقائق إلى المحفظة التي أُرسل منها.',
  },
};

/** Texts around the methods' panels, in Arabic. */
export const panelStrings: Parts['panels'] = {
  backTo: 'العودة إلى {name}',
};

/** The form of a payment link, in Arabic. Text before `|` is bold. */
export const payLinkStrings: Parts['payLink'] = {
  choose: 'كم تريد أن تدفع؟',
  amount: 'المبلغ',
  currency: 'العملة',
  between: 'بين {min} و{max}',
  atLeast: '{min} أو أكثر',
  atMost: 'حتى {max}',
  amountMissing: 'أدخل مبلغًا.',
  amountWrong: 'أدخل مبلغًا بعملة {currency}، مثل {example}.',
  closed: {
    used: 'دُفع هذا الرابط.|إن كنت أنت من دفع فلا يلزمك شيء آخر. وإلا فاطلب رابطًا جديدًا.',
    expired: 'انتهت صلاحية هذا الرابط.|اطلب رابطًا جديدًا.',
    disabled: 'لا يمكن الدفع بهذا الرابط حاليًا.|أوقفه من أنشأه.',
    not_started: 'لا يمكن الدفع بهذا الرابط بعد.|عد إليه ابتداءً من {date}.',
  },
  missing: 'هذا الرابط غير موجود.|قد يكون العنوان غير مكتمل. اسأل من أرسله إليك.',
  unreachable: 'خدمة الدفع لا تجيب.|تحقق من اتصالك.',
};

/** Rows with a copy button, in Arabic. */
export const rowStrings: Parts['rows'] = {
  copy: 'نسخ: {label}',
  copied: 'تم النسخ: {label}',
  selected: 'لا يسمح متصفحك لنا بالنسخ. تم تحديد «{label}»: انسخه بنفسك.',
};

/** Notes about an open payment, in Arabic. Text before `|` is bold. */
export const situationStrings: Parts['situation'] = {
  offline: {
    quiet: 'أنت غير متصل بالإنترنت.|تتابع هذه الصفحة فور عودة الاتصال.',
    unanswered: 'أنت غير متصل بالإنترنت.|دفعتك في أمان: عند عودة الاتصال نتحقق هل تمّت.',
    lost: 'أنت غير متصل بالإنترنت.|لم يصل طلبك. اضغط مرة أخرى عند عودة الاتصال.',
  },
  unreachable: {
    quiet: 'خدمة الدفع لا تستجيب.|نواصل المحاولة، ولم يضِع شيء.',
    unanswered: 'لم نتلقَّ ردًّا.|دفعتك في أمان: إعادة المحاولة لا تخصم المبلغ مرتين أبدًا.',
    lost: 'لم نتلقَّ ردًّا.|يُرجى الضغط مرة أخرى.',
  },
  lost: 'لم يصل طلبك.|يُرجى الضغط مرة أخرى.',
  short: 'استلمنا {received}.|المبلغ المتبقي: {amount}. ادفع الباقي بأي طريقة تريدها.',
  wrongAsset: 'أرسلت {sent}، وطلبنا {asked}.|ما أرسلته في أمان: يعيده المتجر إليك أو يقبله. ما زالت هذه الدفعة مفتوحة.',
  wrong: 'أرسلت غير ما طُلب.|هو في أمان: يعيده المتجر إليك أو يقبله. ما زالت هذه الدفعة مفتوحة.',
  waiting: 'دفعتك في الطريق',
  seen: 'رأيناها وننتظر التأكيد. يستغرق ذلك ثواني، ونادرًا دقيقة.',
  seenOnChain: 'وصلت إلى الشبكة، وتُؤكَّد خلال ثوانٍ.',
  confirmations: 'عدد التأكيدات حتى الآن: {count} من {needed}.',
  leave: 'يمكنك إغلاق هذه الصفحة. سنُعلم المتجر بذلك.',
  steps: 'الخطوة 2 من 3: وصلت، في انتظار التأكيد',
  failed: 'لم ينجح ذلك.|لم يُخصم أي مبلغ. يُرجى المحاولة مرة أخرى.',
};

/** Notes about an expired rate, in Arabic. Text before `|` is bold. */
export const rateStrings: Parts['rate'] = {
  lastMinute: 'تبقّت دقيقة واحدة بهذا السعر.',
  refresh: 'احصل على سعر اليوم',
  over: 'انتهت مدة السعر الذي ثبّتناه لك.|احصل على سعر اليوم للمتابعة. يبقى ما كتبته كما هو.',
  overWaiting: 'انتهت مدة السعر الذي ثبّتناه لك.|التحويل الذي أرسلته ما زال محتسبًا.',
  renewed: 'لديك الآن سعر اليوم.|تدفع المبلغ نفسه: {amount}.',
  before: 'كان مقابل {amount}',
  now: 'الآن مقابل {amount}',
};

/** Messages when no payment can be shown, in Arabic. Text before `|` is bold. */
export const troubleStrings: Parts['trouble'] = {
  notStarted: 'تعذّر فتح الدفعة.|{message}',
  noAnswer: 'خدمة الدفع لا تستجيب.|تحقّق من اتصالك بالإنترنت، ثم حاول مرة أخرى.',
  ask: 'ما زالت المشكلة قائمة؟ تواصل مع المتجر الذي جئت منه.',
  back: 'العودة إلى المتجر',
};

/** The service's error messages by code, in Arabic. Text before `|` is bold. */
export const problems: Parts['problems'] = {
  not_set_up: 'لم تُضبط صفحة الدفع هذه ضبطًا صحيحًا.|تواصل مع المتجر.',
  card_declined: 'رفض بنكك هذه البطاقة.|لم يُخصم أي مبلغ. استخدم بطاقة أخرى أو اتصل ببنكك.',
  insufficient_funds: 'لا يوجد رصيد كافٍ على هذه البطاقة.|لم يُخصم أي مبلغ. استخدم بطاقة أخرى أو طريقة دفع أخرى.',
  incorrect_number: 'رقم البطاقة غير صحيح.|لم يُخصم أي مبلغ. تحقّق من الأرقام وحاول مرة أخرى.',
  invalid_expiry: 'تاريخ انتهاء البطاقة غير صحيح.|لم يُخصم أي مبلغ. تحقّق من الشهر والسنة.',
  expired_card: 'انتهت صلاحية هذه البطاقة.|لم يُخصم أي مبلغ. استخدم بطاقة أخرى.',
  incorrect_cvc: 'رمز الأمان غير صحيح.|لم يُخصم أي مبلغ. تحقّق من الرمز وحاول مرة أخرى.',
  processing_error: 'تعذّر على البنك إتمام العملية.|لم يُخصم أي مبلغ. حاول مرة أخرى بعد قليل.',
  authentication_failed: 'لم يتمكن بنكك من التأكد منك.|لم يُخصم أي مبلغ. حاول مرة أخرى أو استخدم بطاقة أخرى.',
  too_many_attempts: 'محاولات كثيرة جدًا.|لم يُخصم أي مبلغ. انتظر قليلًا ثم حاول مرة أخرى.',
  rate_limited: 'الطلبات كثيرة جدًا الآن.|انتظر قليلًا ثم حاول مرة أخرى.',
  resource_missing: 'هذه الدفعة غير موجودة.|افتح الرابط من المتجر مرة أخرى.',
  client_secret_mismatch: 'لا يمكن فتح هذه الدفعة من هنا.|افتح الرابط من المتجر مرة أخرى.',
  payment_expired: 'انتهت صلاحية هذه الدفعة.|ابدأ من جديد من المتجر.',
  payment_already_settled: 'هذه الدفعة منتهية بالفعل.|حدّث الصفحة لترى حالتها.',
  payment_in_flight: 'هناك دفعة في الطريق بالفعل.|انتظر نتيجتها قبل المحاولة مرة أخرى.',
  rate_unavailable: 'لا يتوفر سعر صرف حاليًا.|حاول مرة أخرى بعد دقيقة، أو ادفع بطريقة أخرى.',
  unavailable: 'الخدمة غير متاحة مؤقتًا.|حاول مرة أخرى بعد قليل.',
  internal_error: 'حدث خطأ من جانبنا.|حاول مرة أخرى بعد قليل.',
  invalid_email: 'عنوان البريد الإلكتروني غير صحيح.|تحقّق منه وحاول مرة أخرى.',
};
