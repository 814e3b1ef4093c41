import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type FrameWallets, walletSchemes } from '../../../api/card-frame.ts';
import { Closed } from '../../../api/schema.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { formatUnits } from '../../../core/money.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { CardForm, CardRail, WalletOffer } from '../../rails/card-rail.ts';
import { chooseCardRail } from '../../rails/rails.ts';
import type { PaymentPageDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { issueCardToken } from './card-option.ts';

/** A pending payment of a frame, and the acquirer that would charge it. */
interface AdmittedPayer {
  readonly merchant: Merchant;
  readonly payment: PaymentRow;
  readonly card: CardRail;
  readonly now: Date;
}

/** Opens the frame's ticket. Throws unless the frame sends the request and the payment can still be paid by card. */
export type AdmitPayer = (request: FastifyRequest, ticket: string) => Promise<AdmittedPayer>;

const ticket = Type.String({ maxLength: 100 });

/** Body of `POST /card-frame/wallet-tokens`: what the wallet has handed over. */
const WalletTokenRequest = Closed({
  ticket,
  scheme: Type.Enum(walletSchemes),
  payload: Type.Record(Type.String(), Type.Unknown()),
});

/** Body of `POST /card-frame/wallet-sessions`: the address at which Apple Pay opens a session. */
const WalletSessionRequest = Closed({ ticket, url: Type.String({ maxLength: 500 }) });

/** Body of `POST /card-frame/form-tokens`: the token of the acquirer's own form. */
const FormTokenRequest = Closed({ ticket, token: Type.String({ maxLength: 1000 }) });

/** Longest payload of a wallet, in bytes. */
const longestPayload = 32_768;

/** The requests of the card frame's wallet buttons, and of an acquirer's own form in it. */
export function registerWalletRoutes(app: HttpApp, deps: PaymentPageDeps, admit: AdmitPayer): void {
  const { secrets, publicUrl } = deps;
  registerFormRoute(app, deps, admit);
  app.post(
    '/card-frame/wallet-tokens',
    { config: { access: 'public', maxBody: longestPayload }, schema: { body: WalletTokenRequest, hide: true } },
    async request => {
      const { scheme, payload } = request.body;
      const { merchant, payment, card, now } = await admit(request, request.body.ticket);
      const made = await walletsOf(card).tokenize({ scheme, payload }, now);
      const key = { merchantId: merchant.id, paymentId: payment.id };
      return { ...made, token: issueCardToken(secrets, key, { rail: card.id, token: made.token }) };
    },
  );
  app.post(
    '/card-frame/wallet-sessions',
    { config: { access: 'public', maxBody: 4096 }, schema: { body: WalletSessionRequest, hide: true } },
    async request => {
      const { merchant, payment, card } = await admit(request, request.body.ticket);
      const { host } = new URL(publicUrl());
      return await walletsOf(card).openSession({ ...walletPayment(merchant, payment), url: request.body.url, host });
    },
  );
}

/** Seals the token of the acquirer's own form for the frame's payment. */
function registerFormRoute(app: HttpApp, { secrets }: PaymentPageDeps, admit: AdmitPayer): void {
  app.post(
    '/card-frame/form-tokens',
    { config: { access: 'public', maxBody: 4096 }, schema: { body: FormTokenRequest, hide: true } },
    async request => {
      const { token } = request.body;
      const { merchant, payment, card } = await admit(request, request.body.ticket);
      if (card.openForm === undefined || !(await card.isToken(token))) {
        throw new PayError('invalid_token', 'The card token is unknown or used. Enter the card again.');
      }
      const key = { merchantId: merchant.id, paymentId: payment.id };
      // The acquirer names the card when it is charged.
      return { token: issueCardToken(secrets, key, { rail: card.id, token }), brand: 'unknown', last4: '' };
    },
  );
}

/** Opens the own form of the acquirer that would charge the payment. Null if it has none. */
export async function openForm(
  { rails, publicUrl }: Pick<PaymentPageDeps, 'rails' | 'publicUrl'>,
  merchant: Merchant,
  payment: PaymentRow,
  now: Date,
): Promise<CardForm | null> {
  const { origin: parent } = new URL(publicUrl());
  const request = { ...walletPayment(merchant, payment), parent, now };
  return (await chooseCardRail(rails.cards, payment)?.openForm?.(request)) ?? null;
}

function walletsOf({ wallets }: CardRail) {
  if (wallets !== undefined) return wallets;
  throw new PayError('unavailable', 'This server takes no wallets for this payment.');
}

function walletPayment(merchant: Merchant, { currency }: PaymentRow) {
  return { merchantId: merchant.id, payee: merchant.name, currency };
}

/** The wallets of the acquirer that would charge the payment. */
export function walletOffers(
  { rails }: Pick<PaymentPageDeps, 'rails'>,
  merchant: Merchant,
  payment: PaymentRow,
): readonly WalletOffer[] {
  return chooseCardRail(rails.cards, payment)?.wallets?.offers(walletPayment(merchant, payment)) ?? [];
}

/** The data of the frame's wallet buttons as JSON. Blank without a wallet. */
export function frameWallets(merchant: Merchant, payment: PaymentRow, offers: readonly WalletOffer[]): string {
  if (offers.length === 0) return '';
  const { amount, amount_received: received, currency } = payment;
  const data: FrameWallets = {
    label: merchant.name,
    value: formatUnits(amount - received, currencyDecimals(currency)),
    currency,
    offers: offers.map(({ scheme, method, data: asked }) => ({ scheme, method, data: asked })),
  };
  return JSON.stringify(data);
}
