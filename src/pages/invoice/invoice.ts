import './invoice.css';
import { createPayForm, type PayRequest } from './pay-form.ts';
import { visitorName, whenPersonReads } from './reading.ts';

const page = document.querySelector('main') as HTMLElement;
const section = document.querySelector<HTMLElement>('.payment');
const form = section?.querySelector<HTMLFormElement>('form');
const { token = '', preview } = page.dataset;

/** Sends the service a request about this invoice. */
const ask = (path: string, body: object) =>
  fetch(`/i/${token}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'omit',
    keepalive: true,
    body: JSON.stringify(body),
  });

if (preview !== 'yes') {
  whenPersonReads(() => void ask('views', { visitor: visitorName() }).catch(() => undefined));
}

if (section && form) {
  const words = form.dataset;
  const payForm = createPayForm(form, request => void begin(request));
  /** Loads the code that shows the checkout of a started payment. */
  const checkout = async () =>
    (await import('./paying.ts')).createPaying({ page, section, form, token, money: payForm.money });
  let paying: ReturnType<typeof checkout> | undefined;
  const load = () => {
    paying ??= checkout();
    return paying;
  };
  if (hasStarted(token)) load().then(({ resume }) => resume());

  async function begin(request: PayRequest): Promise<void> {
    payForm.busy(true);
    payForm.object('');
    try {
      const { show, offerReload } = await load();
      const answer = await ask('payments', request);
      if (answer.ok) show(await answer.json());
      // The invoice has been paid or cancelled, or its remaining amount is smaller.
      else if (answer.status === 409 || answer.status === 400) payForm.object(offerReload());
      else payForm.object(words['failed'] ?? '');
    } catch {
      paying = undefined;
      payForm.object(words['failed'] ?? '');
    } finally {
      payForm.busy(false);
    }
  }
}

/** Whether this tab has started a payment of the invoice. */
function hasStarted(token: string): boolean {
  try {
    return sessionStorage.getItem(`pay-invoice:${token}`) !== null;
  } catch {
    return false;
  }
}

// The links of the language switch have the parameter `locale`. The new page restores the typed fields.
const typed = () => import('../checkout/typed-fields.ts');
addEventListener('input', typed, { once: true });
if (location.search.includes('locale=')) typed();
if (document.images[0]) import('../checkout/pictures.ts');
