import type { CustomerRamp, Ramp } from '../../../api/ramps/ramp.ts';
import type { Clock } from '../../../core/clock.ts';
import { cryptoRail } from '../../payments/crypto/crypto-price.service.ts';
import type { ViewContext } from '../../payments/payment.view.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import { rampToWire } from '../ramp.view.ts';
import type { RampDeps } from '../ramp-deps.ts';
import type { RampRow } from '../tables.ts';

type SessionContext = ViewContext & Pick<RampDeps, 'crypto'>;

type SessionSecrets = Pick<Secrets, 'rampSecret' | 'rampToken' | 'openRampToken' | 'clientSecret'>;

/** Seconds for which a widget's address can be opened: a week, for bank transfers and identity checks. */
const widgetSeconds = 7 * 24 * 60 * 60;

const tokenLength = 66;

/** The address of the ramp's page: a signature of 66 characters, then the expiry second in base 36. */
export function widgetUrl(
  { secrets, hosts }: Pick<ViewContext, 'hosts'> & { readonly secrets: SessionSecrets },
  merchantId: string,
  rampId: string,
  now: Date,
): string {
  const end = (Math.floor(now.getTime() / 1000) + widgetSeconds).toString(36);
  return `${hosts.baseUrl(merchantId)}/ramp/${secrets.rampToken(end, merchantId, rampId)}${end}`;
}

/** The ramp of a widget's address. Null if the address is forged or has ended. `now` is the real time. */
export function openWidgetToken(
  secrets: Pick<Secrets, 'openRampToken'>,
  text: string,
  now: Date,
): { readonly merchantId: string; readonly id: string } | null {
  const end = text.slice(tokenLength);
  if (!/^[0-9a-z]{6,8}$/.test(end) || Number.parseInt(end, 36) * 1000 <= now.getTime()) return null;
  return secrets.openRampToken(end, text.slice(0, tokenLength));
}

/** The secrets in the answer of a new ramp. A repeated answer derives them again. */
export function sessionSecrets(context: ViewContext & { readonly secrets: SessionSecrets; readonly clock: Clock }) {
  const { secrets, clock } = context;
  return (created: Created, { merchant }: Caller) => ({
    client_secret: secrets.rampSecret(merchant.id, created.id),
    // The widget sells coins only.
    ...(created.direction !== 'off' && { widget_url: widgetUrl(context, merchant.id, created.id, clock.now()) }),
    ...(created.payment != null && { payment_client_secret: secrets.clientSecret(merchant.id, created.payment) }),
  });
}

type Created = Pick<Ramp, 'id'> & Partial<Pick<Ramp, 'direction' | 'payment'>>;

/** The ramp as the caller that creates it sees it: the secrets come from `sessionSecrets`. */
export function createdView(
  context: SessionContext,
  { kind }: Pick<Caller, 'kind'>,
  row: RampRow,
): Ramp | CustomerRamp {
  const ramp = rampToWire(context, row);
  if (kind === 'secret') return ramp;
  const { metadata: _metadata, client_reference: _reference, customer_id: _customer, ...shown } = ramp;
  const { chain } = cryptoRail(context, treasuryRail, row.livemode);
  return { ...shown, tx_url: row.tx_hash === null ? null : chain.transactionUrl(row.tx_hash) };
}

/** The ramp in this caller's view. Its customer does not get the merchant's private data, but the payment's secret. */
export function rampFor(context: SessionContext, caller: Pick<Caller, 'kind'>, row: RampRow): Ramp | CustomerRamp {
  const view = createdView(context, caller, row);
  const { merchant_id: merchantId, payment_id: paymentId } = row;
  if (caller.kind === 'secret' || paymentId === null) return view;
  return { ...view, payment_client_secret: context.secrets.clientSecret(merchantId, paymentId) };
}
