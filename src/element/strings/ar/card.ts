import type { Parts } from '../parts.ts';

/** The card tab, in Arabic. Text before `|` is bold. */
export const cardStrings: Parts['card'] = {
  frameTitle: 'بيانات البطاقة: الرقم وتاريخ الانتهاء ورمز الأمان والاسم',
  pay: 'ادفع {amount}',
  check: 'تحقّق من هذه الحقول: {fields}',
  and: '، ',
  fields: { number: 'رقم البطاقة', expiry: 'تاريخ الانتهاء', cvc: 'رمز الأمان', name: 'الاسم على البطاقة' },
  loading: 'ما زالت حقول البطاقة قيد التحميل.|لحظة، ثم اضغط «ادفع».',
  frameFailed: 'لم تُحمَّل حقول البطاقة.|تحقّق من اتصالك بالإنترنت وحاول مرة أخرى.',
  again: 'أعد تحميل حقول البطاقة',
  frameSilent: 'تعذّر التحقق من البطاقة.|لم يُخصم أي مبلغ. يُرجى المحاولة مرة أخرى.',
  unsent: 'لم يتم الدفع، ولم يُخصم أي مبلغ.|اضغط «ادفع» مرة أخرى.',
  challenge: 'يريد بنكك التأكد منك.|يستغرق ذلك دقيقة، ثم تتم عملية الدفع.',
  challengeAction: 'المتابعة إلى بنكك',
  otherCard: 'استخدم بطاقة أخرى',
};

/** The card fields, in Arabic. */
export const cardFrameStrings: Parts['cardFrame'] = {
  number: 'رقم البطاقة',
  numberHint: '1234 1234 1234 1234',
  expiry: 'تاريخ الانتهاء',
  expiryHint: 'MM / YY',
  cvc: 'رمز الأمان',
  cvcHint3: '\u20673 أرقام\u2069',
  cvcHint4: '\u20674 أرقام\u2069',
  name: 'الاسم على البطاقة',
  nameHint: 'كما هو مطبوع',
  numberMissing: 'أدخل رقم البطاقة.',
  numberInvalid: 'تحقّق من الأرقام: هذا ليس رقم بطاقة.',
  numberUnsupported: 'لا يُقبل هذا النوع من البطاقات هنا. استخدم بطاقة أخرى.',
  expiryMissing: 'أدخل تاريخ انتهاء البطاقة.',
  expiryInvalid: 'أدخل الشهر والسنة، مثل \u206604\u00a0/\u00a029\u2069.',
  expiryPast: 'انتهت صلاحية هذه البطاقة. استخدم بطاقة أخرى.',
  cvcMissing: 'أدخل رمز الأمان.',
  cvcInvalid: 'أدخل جميع أرقام الرمز.',
  nameMissing: 'أدخل الاسم المكتوب على البطاقة.',
  offline: 'أنت غير متصل بالإنترنت. لم يُخصم أي مبلغ. اتصل بالإنترنت وحاول مرة أخرى.',
  unavailable: 'تعذّر التحقق من البطاقة. لم يُخصم أي مبلغ. حاول مرة أخرى بعد قليل.',
};
