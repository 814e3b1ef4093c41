import type { Session } from '../../app/session.ts';
import type { InvoiceTexts } from './invoice-texts.ts';

/** The `sessionStorage` key of an invoice's unsaved texts. Each person, merchant, mode and invoice has its own key. */
export function unsavedKey({ person, merchant, livemode }: Session, invoiceId: string | null): string {
  return `pay-invoice:${person.id}:${merchant.id}:${livemode ? 'live' : 'test'}:${invoiceId ?? 'new'}`;
}

/** The texts that were not saved before the person left or reloaded the page, or null. */
export function readUnsaved(key: string): InvoiceTexts | null {
  try {
    const texts = JSON.parse(sessionStorage.getItem(key) ?? 'null') as InvoiceTexts | null;
    return texts !== null && Array.isArray(texts.lines) && Array.isArray(texts.parts) ? texts : null;
  } catch {
    return null;
  }
}

/** Stores the unsaved texts. Null removes them. Does nothing if the browser refuses storage. */
export function keepUnsaved(key: string, texts: InvoiceTexts | null): void {
  try {
    if (texts === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(texts));
  } catch {
    // Without storage, a reload loses the texts.
  }
}
