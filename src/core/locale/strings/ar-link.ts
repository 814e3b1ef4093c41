import type { StringTables } from '../string-areas.ts';

/** Texts of the page of a payment link, in Arabic. */
export const linkStrings: StringTables['link'] = {
  title: 'الدفع إلى {merchant}',
  chooseAmount: 'كم تريد أن تدفع؟',
  amount: 'المبلغ',
  currency: 'العملة',
  between: 'بين {min} و{max}',
  atLeast: '{min} على الأقل',
  atMost: 'حتى {max}',
  next: 'متابعة',
  amountMissing: 'أدخل مبلغًا.',
  tooLittle: 'أدخل {min} أو أكثر.',
  tooMuch: 'أدخل مبلغًا لا يتجاوز {max}.',
  usedTitle: 'استُخدم هذا الرابط',
  usedText: 'دُفع ما أُنشئ الرابط من أجله. إن كنت أنت من دفع فلا يلزمك شيء آخر، وإلا فاطلب من {merchant} رابطًا جديدًا.',
  expiredTitle: 'انتهت صلاحية هذا الرابط',
  expiredText: 'كان صالحًا حتى {date}. اطلب من {merchant} رابطًا جديدًا.',
  until: 'يمكن الدفع حتى {date}',
  notStartedTitle: 'لا يمكن الدفع بهذا الرابط بعد',
  notStartedText: 'يمكن الدفع به ابتداءً من {date}. افتحه مرة أخرى حينها.',
  yourChoice: 'أنت تحدد المبلغ',
  disabledTitle: 'لا يمكن استخدام هذا الرابط حاليًا',
  disabledText: 'أوقفه {merchant}. اسأل {merchant} عمّا يمكن فعله.',
  missingTitle: 'هذا الرابط غير موجود',
  missingText: 'قد يكون العنوان غير مكتمل. افتح الرابط مرة أخرى، أو اسأل من أرسله إليك.',
  thanks: 'شكرًا لك',
};
