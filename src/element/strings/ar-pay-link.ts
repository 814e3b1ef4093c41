import type { payLinkStrings as english } from './en-pay-link.ts';

/** The sentences of the form that pays a link, in Arabic. */
export const payLinkStrings: typeof english = {
  choose: 'كم تريد أن تدفع؟',
  amount: 'المبلغ',
  currency: 'العملة',
  between: 'بين {min} و{max}',
  atLeast: '{min} أو أكثر',
  atMost: '{max} أو أقل',
  amountMissing: 'أدخل مبلغًا.',
  amountWrong: 'أدخل مبلغًا بعملة {currency}، مثل {example}.',
  closed: {
    used: 'دُفع هذا الرابط.|إن كنت أنت من دفع فلا يلزمك شيء آخر. وإلا فاطلب رابطًا جديدًا.',
    expired: 'انتهى وقت الدفع بهذا الرابط.|اطلب رابطًا جديدًا.',
    disabled: 'لا يمكن الدفع بهذا الرابط حاليًا.|أوقفه من أنشأه.',
    not_started: 'لا يمكن الدفع بهذا الرابط بعد.|عد إليه ابتداءً من {date}.',
  },
  missing: 'هذا الرابط غير موجود.|قد يكون العنوان غير مكتمل. اسأل من أرسله إليك.',
  unreachable: 'خدمة الدفع لا تجيب.|تحقق من اتصالك.',
};
