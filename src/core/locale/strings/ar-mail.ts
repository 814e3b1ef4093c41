import type { StringTables } from '../string-tables.ts';

/** What mails to payers say, in Arabic. */
export const mailStrings: StringTables['mail'] = {
  greeting: 'مرحبًا {name}،',
  greetingPlain: 'مرحبًا،',
  invoiceSubject: 'فاتورة {number} من {merchant}',
  invoiceText: 'أرسل إليك {merchant} الفاتورة {number} بمبلغ {amount}، وتستحق في {date}.',
  installmentsText: 'يمكن سدادها على أقساط، عددها {count}. القسط الأول {amount} يستحق في {date}.',
  view: 'عرض الفاتورة ودفعها',
  attached: 'الفاتورة مرفقة بصيغة PDF.',
  reminderSubject: {
    before: 'فاتورة {number} من {merchant} تستحق في {date}',
    today: 'فاتورة {number} من {merchant} تستحق اليوم',
    after: 'فاتورة {number} من {merchant} متأخرة السداد',
  },
  reminderText: {
    before: 'يستحق مبلغ {amount} من الفاتورة {number} في {date}.',
    today: 'يستحق مبلغ {amount} من الفاتورة {number} اليوم.',
    after: 'استحق مبلغ {amount} من الفاتورة {number} في {date}.',
  },
  partlyPaid: 'دفعت {paid} من {total}. المتبقي للدفع {remaining}. شكرًا لك.',
  partlyCredited: 'خُصم {credited} من {total} بإشعار دائن. المتبقي للدفع {remaining}.',
  paidAndCredited: 'دفعت {paid} من {total}، وخُصم {credited} بإشعار دائن. المتبقي للدفع {remaining}. شكرًا لك.',
  alreadyPaid: 'إذا كنت قد دفعت في هذه الأثناء فلا يلزمك شيء.',
  pay: 'ادفع {amount}',
  receiptSubject: 'إيصال الفاتورة {number} من {merchant}',
  receiptText: 'استلم {merchant} مبلغ {amount} عن الفاتورة {number}. شكرًا لك.',
  receiptRest: 'المتبقي للدفع {amount}، ويستحق في {date}.',
  receiptDone: 'سُدّدت الفاتورة بالكامل.',
  questions: 'لديك سؤال؟ ردّ على هذه الرسالة أو راسل {contact}.',
  testMode: 'وضع الاختبار: لا تُنقل أموال حقيقية.',
};
