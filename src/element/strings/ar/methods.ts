import type { Parts } from '../parts.ts';

/** The bank tab, in Arabic. `{duration}` is a number of days in words, in the nominative. Text before `|` is bold. */
export const bankStrings: Parts['bank'] = {
  intro: 'ادفع من حسابك البنكي.|نوضح لك إلى أين تحوّل {amount}. يمكنك استخدام تطبيق بنكك أو موقعه.',
  choose: 'أين يوجد حسابك البنكي؟',
  rails: { sepa: 'أوروبا، باليورو', ach: 'الولايات المتحدة، بالدولار' },
  railNames: { sepa: 'تحويل SEPA', ach: 'تحويل ACH' },
  arrives0: 'يصل خلال دقيقة',
  arrives1: 'يصل خلال يوم عمل مصرفي واحد',
  arrives: 'مدة الوصول {duration} من أيام العمل المصرفية',
  show: 'اعرض بيانات البنك',
  shown: 'إليك بيانات الحساب الذي تحوّل إليه المبلغ.',
  scan: 'حوّل {amount} من تطبيق بنكك.|امسح الرمز ضوئيًا فتُملأ كل الحقول. {arrives}.',
  copy: 'حوّل {amount} من تطبيق بنكك.|انسخ كل حقل. يعرف المتجر من الرقم المرجعي أن المبلغ منك. {arrives}.',
  scanRest:
    'تبقّى {amount} للدفع.|وصل {received} وسُجّل على هذه الدفعة. امسح الرمز ضوئيًا، أو ادفع الباقي بأي طريقة أخرى. {arrives}.',
  copyRest:
    'تبقّى {amount} للدفع.|وصل {received} وسُجّل على هذه الدفعة. انسخ كل حقل، أو ادفع الباقي بأي طريقة أخرى. {arrives}.',
  code: 'رمز تحويل لتطبيق بنكك: {amount}، الرقم المرجعي {reference}',
  otherDevice: 'هل تطبيق بنكك على جهاز آخر؟ امسح هذا الرمز.',
  details: 'بيانات التحويل',
  labels: {
    account_holder: 'صاحب الحساب',
    iban: 'رقم الآيبان (IBAN)',
    bic: 'رمز البنك (BIC)',
    routing_number: 'رقم التوجيه (Routing)',
    account_number: 'رقم الحساب',
    reference: 'الرقم المرجعي، مهم',
    amount: 'المبلغ',
  },
  waiting: 'في انتظار التحويل',
  leave: 'يمكنك إغلاق هذه الصفحة. سيُبلَّغ المتجر تلقائيًا.',
  otherRail: 'استخدم نوعًا آخر من التحويل',
  simulate: 'محاكاة بنكي',
  simulatePart: 'أرسل جزءًا فقط',
  simulateNote: 'وضع الاختبار: لا تُنقل أموال حقيقية.',
};

/** The dialog with the bank's page (3-D Secure), in Arabic. Text before `|` is bold. */
export const challengeStrings: Parts['challenge'] = {
  title: 'أكّد الدفع لدى بنكك',
  newWindow: 'لا يظهر شيء هنا؟ افتح صفحة بنكك في نافذة جديدة',
  unsafe: 'تعذّر فتح صفحة بنكك.|يُرجى استخدام بطاقة أخرى أو طريقة دفع أخرى.',
  close: 'إغلاق',
};

/** The crypto tab, in Arabic. Text before `|` is bold. */
export const cryptoStrings: Parts['crypto'] = {
  choose: 'بماذا تريد أن تدفع؟',
  names: {
    USDC: 'دولار أمريكي',
    EURC: 'يورو',
    XLM: 'لومن من Stellar',
    NGNC: 'نايرا نيجيرية',
    BRLC: 'ريال برازيلي',
  },
  fee: 'يُرسل عبر {chain} خلال نحو {time}. تُضاف رسوم الشبكة، نحو {fee}.',
  next: 'المتابعة باستخدام {code}',
  on: '{code} على {chain}',
  change: 'تغيير',
  changeWhat: 'تغيير ما تدفع به',
  shown: 'إليك المبلغ الذي ترسله والعنوان الذي ترسله إليه.',
  send: 'أرسل {amount} من محفظتك.|امسح الرمز ضوئيًا أو افتح تطبيق محفظة فتُملأ كل البيانات. أو انسخ المبلغ والعنوان.',
  sendByApp: 'أرسل {amount} من محفظتك.|افتح تطبيق محفظة فتُملأ كل البيانات. أو انسخ المبلغ والعنوان.',
  rest: 'أرسل الباقي، وهو {amount}.|وصل {received} واحتُسب.',
  renewed: 'أرسل {amount} بسعر اليوم.|كان المبلغ قبل ذلك {before}. امسح الرمز من جديد، أو انسخ المبلغ من جديد.',
  amount: { label: 'أرسل هذا المبلغ بالضبط', name: 'المبلغ' },
  address: { label: 'إلى هذا العنوان', name: 'العنوان' },
  memo: { label: 'مع هذه المذكرة ({type})، مهم', name: 'المذكرة' },
  base: { label: 'إلى هذا العنوان', name: 'عنوان \u2068G…\u2069' },
  issuer: { label: 'جهة إصدار {code} هنا', name: 'جهة الإصدار' },
  code: 'رمز دفع لمحفظة {chain}: {amount}',
  otherDevice: 'هل محفظتك على جهاز آخر؟ امسح هذا الرمز.',
  app: 'افتح في تطبيق محفظة',
  notOpened: 'لم يُفتح شيء؟|إذن لا يوجد هنا تطبيق يفتح مثل هذه الروابط. امسح الرمز ضوئيًا، أو انسخ المبلغ والعنوان.',
  byHand: 'لا تستطيع محفظتي الإرسال إلى عناوين تبدأ بحرف M',
  byHandText: 'استخدم هذا العنوان مع هذه المذكرة. يعرف المتجر من المذكرة أن المبلغ منك.',
  waiting: 'في انتظار دفعتك',
  step: 'الخطوة 1 من 3',
  leave: 'نراها خلال ثوانٍ. يمكنك إغلاق هذه الصفحة. سيُبلَّغ المتجر تلقائيًا.',
  pay: 'ادفع باستخدام Freighter',
};
