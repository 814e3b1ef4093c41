import type { StringTables } from '../string-areas.ts';

/** Texts of the hosted checkout and the service's notices, in Arabic. */
export const checkoutPageStrings: StringTables['checkout-page'] = {
  title: 'الدفع إلى {merchant} · {amount}',
  payTo: 'الدفع إلى {merchant}',
  order: 'طلبك',
  payment: 'الدفع',
  reference: 'الطلب {reference}',
  times: '{name} × {quantity}',
  total: 'الإجمالي',
  stillDue: 'متبقٍّ للدفع',
  back: 'العودة إلى المتجر',
  help: 'لديك سؤال عن هذا الطلب؟',
  helpShop: 'تواصل مع {merchant}، المتجر الذي جئت منه.',
  noScript: 'للدفع هنا، اسمح بتشغيل JavaScript لهذه الصفحة ثم أعد تحميلها.',
  leaving: 'سنعيدك إلى {merchant} بعد لحظات.',
  stay: 'البقاء هنا',
  missingTitle: 'صفحة الدفع هذه غير موجودة',
  missingText: 'قد يكون العنوان غير مكتمل. افتح الرابط من المتجر مرة أخرى، أو اطلب من المتجر رابطًا جديدًا.',
  waitTitle: 'يرجى الانتظار قليلًا',
  waitText: 'وردت طلبات كثيرة من شبكتك. انتظر دقيقة ثم أعد تحميل هذه الصفحة.',
  returnTitle: 'يمكنك إغلاق هذه النافذة',
  returnText: 'ردّ بنكك. تتابع صفحة الدفع في النافذة الأخرى تلقائيًا.',
};
