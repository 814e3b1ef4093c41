import { Type } from 'typebox';
import { MailSample } from '../../../api/dashboard/mail.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { callerOf } from '../http/access/caller.ts';
import type { HttpApp } from '../http/http-app.ts';
import { sameText } from '../secrets.ts';
import type { MailRouteDeps } from './mail.routes.ts';
import type { MailContent } from './mail.ts';
import { sendSheet } from './mail-sheet.ts';

const path = '/v1/mails/sample';
const shownSeconds = 600;
const Color = Type.String({
  pattern: '^#[0-9a-fA-F]{6}$',
  maxLength: 7,
  description: 'The accent instead of that of the account.',
  examples: ['#2f5bea'],
});

const sample: MailContent = {
  language: 'en',
  direction: 'ltr',
  heading: 'Thank you for your order',
  amount: '€128.40',
  paragraphs: ['We have received your payment.'],
  facts: [
    { label: 'Order', value: 'A-1042' },
    { label: 'Paid by', value: 'Visa •••• 4242' },
  ],
  action: { label: 'Open the receipt', url: 'https://example.com/' },
  notes: ['This is a sample. Questions? Reply to this mail.'],
};

/** `/v1/mails/sample`: a sample mail in the merchant's branding, optionally with another accent colour. */
export function registerMailSample(app: HttpApp, deps: MailRouteDeps): void {
  const tokenOf = (object: string, end: number) => deps.secrets.timedToken('mail sample', object, end);
  app.get(
    path,
    {
      schema: {
        querystring: Type.Object({ primary_color: Type.Optional(Color) }),
        response: { 200: MailSample },
        tags: ['Mails'],
        summary: 'Preview a mail',
        description: 'A sample in the branding of the account, with its stored logo.',
      },
      config: { access: 'secret', scope: 'mails:read' },
    },
    async request => {
      const object = `${callerOf(request).merchant.id}.${request.query.primary_color?.slice(1) ?? ''}`;
      const end = Math.floor(addSeconds(deps.clock.now(), shownSeconds).getTime() / 1000);
      return { object: 'mail_sample' as const, html_url: `${path}/html?token=${object}.${tokenOf(object, end)}` };
    },
  );
  app.get(
    `${path}/html`,
    {
      schema: { querystring: Type.Object({ token: Type.String({ maxLength: 300 }) }), hide: true },
      config: { access: 'public' },
    },
    async (request, reply) => {
      const [merchantId = '', color = '', token = ''] = request.query.token.split('.');
      const end = Number.parseInt(token.split('-')[0] ?? '', 36);
      const isOwn = Number.isSafeInteger(end) && sameText(tokenOf(`${merchantId}.${color}`, end), token);
      const merchant = isOwn && end * 1000 >= deps.clock.now().getTime() ? await deps.findMerchant(merchantId) : null;
      if (merchant === null) {
        throw new PayError('mail_link_expired', 'This address has expired. Open the preview in the dashboard again.');
      }
      const accent = color === '' ? {} : { primary_color: `#${color}` };
      return await sendSheet(
        reply,
        { content: sample },
        { ...merchant, branding: { ...merchant.branding, ...accent } },
      );
    },
  );
}
