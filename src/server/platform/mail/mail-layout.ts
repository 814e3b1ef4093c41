import { inkOn } from '../../../core/contrast.ts';
import type { Merchant } from '../merchant.ts';
import { html, type Markup } from '../pages/page-html.ts';
import type { MailRow } from './mail.store.ts';
import type { MailContent } from './mail.ts';
import { plainLine, plainPart } from './plain-line.ts';

type MailBrand = Pick<Merchant, 'name' | 'branding'>;

/** The mail in the merchant's current branding: as HTML that loads nothing, and as text. */
export function sheetOf({ content: given }: Pick<MailRow, 'content'>, { name, branding }: MailBrand) {
  const content = plainContent(given);
  const brand = { name: plainPart(name), branding };
  return { html: layoutHtml(content, brand), text: layoutText(content, brand) };
}

/** The content, with plain names. A name with line breaks or direction controls could imitate the mail's own text. */
function plainContent(content: MailContent): MailContent {
  const { heading, amount, paragraphs, facts: list, notes } = content;
  return {
    ...content,
    heading: plainLine(heading),
    amount: amount && plainLine(amount),
    paragraphs: paragraphs.map(plainLine),
    facts: list.map(({ label, value }) => ({ label: plainLine(label), value: plainPart(value) })),
    notes: notes.map(plainLine),
  };
}

const accent = '#2f5bea';
const font = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/** Colours for mail programs with a dark mode. Other programs ignore these rules. */
const darkStyle = `@media (prefers-color-scheme: dark) {
.page { background: #0c0f14 !important; } .sheet { background: #151a21 !important; border-color: #28303b !important; }
.ink { color: #f1f4f8 !important; } .soft { color: #b3bdca !important; } .line { border-color: #28303b !important; } }`;

/** The HTML of the mail: one column, tables and inline styles, because mail programs support little else. */
function layoutHtml(content: MailContent, brand: MailBrand): string {
  const { direction, language, heading } = content;
  const align = direction === 'rtl' ? 'right' : 'left';
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${heading}</title>
        <style>${{ markup: darkStyle }}</style>
      </head>
      <body class="page" style="margin:0;background:#f4f5f7">
        <table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" dir="${direction}" style="background:#f4f5f7;font:16px/1.5 ${font}"><tr><td align="center" style="padding:32px 16px">
          <table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border:1px solid #e3e7ec;border-radius:16px"><tr><td class="ink" align="${align}" style="padding:32px;color:#10151d;text-align:${align}">
            ${sender(brand)}
            <h1 class="ink" style="margin:0 0 12px;font-size:22px;line-height:1.25;font-weight:650">${heading}</h1>
            ${content.amount && html`<p class="ink" style="margin:0 0 16px;font-size:32px;line-height:1.2;font-weight:650">${bdi(content.amount)}</p>`}
            ${content.paragraphs.map(text => html`<p class="ink" style="margin:0 0 12px">${text}</p>`)}
            ${content.facts.length > 0 && facts(content, align)}
            ${content.action && button(content.action, brand)}
            ${content.notes.map(text => html`<p class="soft" style="margin:12px 0 0;font-size:14px;color:#4c5665">${text}</p>`)}
          </td></tr></table>
        </td></tr></table>
      </body>
    </html>`.markup;
}

function layoutText(content: MailContent, brand: MailBrand): string {
  const { heading, amount, paragraphs, facts: list, action, notes } = content;
  const parts = [
    heading,
    amount,
    ...paragraphs,
    list.map(({ label, value }) => `${label}: ${value}`).join('\n'),
    action && `${action.label}:\n${action.url}`,
    ...notes,
    `-- \n${brand.name}`,
  ];
  return `${parts.filter(part => part !== null && part !== '').join('\n\n')}\n`;
}

/** Isolates a number or name, so that it keeps its own direction inside text of the other direction. */
function bdi(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

function sender({ name, branding }: MailBrand): Markup {
  const mark = hasInlineLogo(branding.logo)
    ? html`<img src="cid:${logoCid}" alt="${name}" height="40" style="height:40px;width:auto;max-width:200px;border:0">`
    : bdi(name);
  return html`<p class="ink" style="margin:0 0 24px;padding:0 0 20px;border-bottom:3px solid ${accentOf(branding)};font-size:18px;font-weight:650">${mark}</p>`;
}

function facts({ facts: list }: MailContent, align: string): Markup {
  const end = align === 'left' ? 'right' : 'left';
  const beside = align === 'left' ? '8px 16px 8px 0' : '8px 0 8px 16px';
  return html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:16px 0 4px;font-size:15px">
    ${list.map(
      ({ label, value }) => html`<tr>
        <td class="soft line" align="${align}" valign="top" style="padding:${beside};border-top:1px solid #e3e7ec;color:#4c5665">${label}</td>
        <td class="ink line" align="${end}" valign="top" style="padding:8px 0;border-top:1px solid #e3e7ec;word-break:break-word;overflow-wrap:anywhere">${bdi(value)}</td>
      </tr>`,
    )}
  </table>`;
}

function button({ label, url }: NonNullable<MailContent['action']>, { branding }: MailBrand): Markup {
  const color = accentOf(branding);
  return html`<p style="margin:24px 0 12px"><a href="${url}" style="display:inline-block;padding:14px 24px;border-radius:12px;background:${color};color:${inkOn(color)};font-weight:600;text-decoration:none">${label}</a></p>`;
}

function accentOf({ primary_color: color }: MailBrand['branding']): string {
  return color !== null && /^#[0-9a-f]{6}$/i.test(color) ? color : accent;
}

/** The content id of the merchant's logo in the HTML: `<img src="cid:logo">`. */
export const logoCid = 'logo';

/** Largest side of a logo in a mail, in pixels: twice the displayed size. */
const largestSide = 400;

/** Whether the logo is stored in this service. A logo on another server would tell that server who reads the mail. */
function hasInlineLogo(logo: string | null): boolean {
  return logo?.startsWith('data:') ?? false;
}

/**
 * The logo as a small PNG, because some mail programs do not show WebP. Null without a logo, or if it cannot be read.
 * The mail is then sent without a logo.
 */
export async function readLogo(logo: string | null) {
  const match = /^data:image\/(?:png|jpeg|webp);base64,(.+)$/.exec(logo ?? '');
  if (match === null) return null;
  const { default: sharp } = await import('sharp');
  const content = await sharp(Buffer.from(match[1] ?? '', 'base64'), { limitInputPixels: 2048 * 2048 })
    .resize({ width: largestSide, height: largestSide, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer()
    .catch(() => null);
  return content && { filename: 'logo.png', contentType: 'image/png', content };
}
