import { SwissQRBill } from 'swissqrbill/pdf';
import { readSwissQr, type SwissBill, type SwissParty } from '../../../core/bank/swiss-qr.ts';
import { formatUnits } from '../../../core/money.ts';
import type { Draft } from './draft.ts';
import { pageHeight } from './pdf-file.ts';
import { printable } from './printable.ts';

/** A6/5: 210 × 105 mm at the bottom of the page, as the Style Guide QR-bill lays down. */
const slipHeight = (105 / 25.4) * 72;
/** What the page’s own foot takes above the slip. */
const footHeight = 30;

type Bill = ConstructorParameters<typeof SwissQRBill>[0];
const languages = { de: 'DE', fr: 'FR', it: 'IT', en: 'EN' } as const;

/** Payment part and receipt at the bottom of the last page, or of one more where there is no room. */
export function drawSwissBill(draft: Draft, payload: string): void {
  const bill = readSwissQr(payload);
  if (bill === null) return;
  const top = pageHeight - slipHeight;
  if (draft.y > top - footHeight) draft.addPage();
  draft.bottoms.set(draft.pages - 1, top - footHeight);
  const { document } = draft.sheet;
  // The library asks for one of four fonts by name; files that carry their fonts give it theirs.
  draft.sheet.registerPair('Helvetica', 'latin');
  const language = draft.locale.slice(0, 2).toLowerCase();
  const slip = new SwissQRBill(libraryBill(bill), {
    language: Object.hasOwn(languages, language) ? languages[language as keyof typeof languages] : 'EN',
    fontName: 'Helvetica',
  });
  // The library begins a page unless it finds the room below the last text; the room was made above.
  document.x = 0;
  document.y = 0;
  document.save();
  document.fillColor('#000000');
  slip.attachTo(document, 0, top);
  document.restore();
  draft.sheet.colorChanged();
}

/** The library takes francs as a number, which carries the 11 digits that a bill may have exactly. */
function libraryBill({ iban, creditor, amount, currency, debtor, message }: SwissBill): Bill {
  return {
    creditor: { ...party(creditor), account: iban },
    ...(debtor !== null && { debtor: party(debtor) }),
    amount: Number(formatUnits(amount, 2)),
    currency,
    ...(message !== '' && { message }),
  };
}

function party({ name, street, buildingNumber, postalCode, town, country }: SwissParty) {
  return {
    name: printable(name),
    address: printable(street),
    ...(buildingNumber !== '' && { buildingNumber }),
    zip: postalCode,
    city: printable(town),
    country,
  };
}
