import type { CryptoRail } from '../chains/chain.ts';
import { createMailAttachments } from '../invoices/mail-attachments.ts';
import type { CarrierSender } from '../outbound/carrier.ts';
import { createOutbound, type Outbound } from '../outbound/outbound.service.ts';
import type { OutboundPurpose } from '../outbound/outbound.ts';
import { createSingleSender, type Lane, type Sender } from '../outbound/sender.ts';
import { askAttempt } from '../payments/attempts/attempt-follow.service.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { createReceiptAttachments } from '../payments/receipts/receipt-mail.ts';
import type { Log } from '../platform/logging.ts';
import type { MailDocuments } from '../platform/mail/mail-documents.ts';
import { defineModule } from '../platform/module.ts';
import type { Rails } from '../rails/rails.ts';
import type { Config } from '../settings/config.ts';
import { createBankPayouts } from './bank-payouts.ts';
import type { Stellar } from './create-stellar.ts';
import { createMobileMoney } from './mobile-money.ts';
import type { Sandbox } from './sandbox.ts';
import { createStellarMoney } from './stellar-money.ts';

interface Services extends Pick<PaymentDeps, 'outbound' | 'rails' | 'crypto'> {
  readonly money: ReturnType<typeof createStellarMoney>;
  readonly mobileMoney: ReturnType<typeof createMobileMoney>;
  readonly bankRails: ReturnType<typeof createBankPayouts>['rails'];
  readonly bankFiles: ReturnType<typeof createBankPayouts>['files'];
  readonly senders: readonly (Sender | CarrierSender)[];
  readonly documents: MailDocuments;
}

interface Deps extends Omit<PaymentDeps, 'readings' | 'log'>, Services {
  readonly log: Log;
  readonly config: Config;
  readonly chains?: readonly CryptoRail[] | undefined;
  readonly stellar: Stellar;
  readonly sandbox: Sandbox;
  readonly serverUrl: () => string | null;
  readonly outboundPurposes: readonly OutboundPurpose[];
  /** The lanes of the queue. Their senders need the queue, so they are added after it. */
  readonly lanes: Lane[];
  readonly bankPayouts: ReturnType<typeof createBankPayouts>;
}

/** The rails, chains and senders of the server's network, and the documents in mails. */
export const adapters = defineModule<Deps, { services: Services & Pick<Deps, 'bankPayouts'> }>({
  name: 'adapters',
  provides: {
    outbound: createQueue,
    money: createMoney,
    mobileMoney: ({ config, stellar: { livemode }, db, log, clock, secrets, publicUrl, wake }) =>
      createMobileMoney({
        config,
        livemode,
        db,
        log,
        clock,
        secrets,
        publicUrl,
        wake,
        askAttempt: (rail, attempt) => askAttempt({ db, clock, wake }, rail, attempt),
      }),
    bankPayouts: ({ config, stellar: { livemode }, db, clock, wake }) =>
      createBankPayouts({ config, livemode, db, clock, wake }),
    bankRails: ({ bankPayouts }) => bankPayouts.rails,
    bankFiles: ({ bankPayouts }) => bankPayouts.files,
    rails: railsOf,
    crypto: ({ money, chains = [] }) => [money.rail, ...chains],
    senders: sendersOf,
    documents: mailDocuments,
  },
});

function createQueue({ db, clock, log, wake, outboundPurposes: purposes, lanes: senders }: Deps): Outbound {
  return createOutbound({ db, clock, log, wake, purposes, senders });
}

function createMoney(deps: Deps): Services['money'] {
  const { log, stellar, sandbox, serverUrl } = deps;
  const isSandbox = deps.config.network === 'sandbox';
  return createStellarMoney({
    payments: deps,
    log,
    stellar,
    faucet: isSandbox ? sandbox.faucet : null,
    isReachable: () => !isSandbox || serverUrl() !== null,
  });
}

/** The payment and payout rails. Live mode takes no cards or bank transfers: only simulated rails exist for them. */
function railsOf({ stellar: { livemode }, sandbox, mobileMoney, bankRails }: Deps): Rails {
  if (livemode) {
    const { collectors: phones, connectors } = mobileMoney;
    return { cards: [], banks: [], phones, payouts: [...bankRails, ...connectors] };
  }
  const { cards, banks, phones } = sandbox;
  return { cards, banks, phones, payouts: [...bankRails, ...sandbox.mobileMoney] };
}

/** Everything that sends money: the treasury, the payout rails, and the refunds of banks and card acquirers. */
function sendersOf({ rails, money, lanes }: Deps): Services['senders'] {
  const senders = [money.sender, ...railSenders(rails)];
  lanes.push(...senders);
  return senders;
}

/** The senders of the rails. */
export function railSenders({ cards, banks, payouts }: Rails): readonly Sender[] {
  const refunders = [
    ...banks.map(bank => ({ id: bank.id, send: bank.send.bind(bank), status: bank.sendStatus.bind(bank) })),
    ...cards.map(card => ({ id: card.id, send: card.refund.bind(card), status: card.refundStatus.bind(card) })),
  ];
  return [...refunders.map(({ id, send, status }) => createSingleSender(id, { send, status })), ...payouts];
}

/** The documents in mails: those of payments, and those of invoices. */
function mailDocuments(deps: Deps): MailDocuments {
  const [ofPayments, ofInvoices] = [createReceiptAttachments(deps), createMailAttachments(deps)];
  return { draw: (mail, ...rest) => (mail.resource_type === 'payment' ? ofPayments : ofInvoices).draw(mail, ...rest) };
}
