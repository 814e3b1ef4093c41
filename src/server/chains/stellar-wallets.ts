import { publicPassphrase } from '../../core/stellar/stellar-network.ts';
import { createAnswerCache } from '../stellar/answer-cache.ts';
import type { StellarNetwork } from '../stellar/network.ts';
import type { ChainWallets, WalletOutcome } from './chain.ts';
import { asked, failureOfCodes } from './stellar-failure.ts';
import { readHoldings, slippageBasisPoints } from './stellar-holdings.ts';

/** The most a payer is asked to bid for the network’s fee, in stroops. */
const mostFee = 1_000_000n;
/** How long what an account holds is remembered, in milliseconds: under a ledger of the real networks. */
const holdMs = 3_000;

/**
 * Payers’ Stellar wallets: the transaction is a payment, or a path payment that delivers an exact amount (strict
 * receive). What reads and writes transactions is loaded when the first is made: the SDK weighs as much as the service.
 */
export function createStellarWallets(network: StellarNetwork): ChainWallets {
  const fees = createAnswerCache({ holdMs: 5_000 }, () => network.fees());
  // Asking in a row, or from many pages at once, costs the network one question.
  const holdings = createAnswerCache({ holdMs }, key => {
    const [address = '', asset = '', amount = '0'] = key.split(' ');
    return readHoldings(network, address, { asset, amount: BigInt(amount) });
  });
  const fee = async () => {
    const { base, usual } = await fees.read('');
    const bid = usual > base ? usual : base;
    return bid < mostFee ? bid : mostFee;
  };
  return {
    names: ['freighter', 'sep7'],
    networkName: network.passphrase === publicPassphrase ? 'PUBLIC' : 'TESTNET',
    passphrase: network.passphrase,
    slippageBasisPoints,
    holdings: (address, due) => asked(() => holdings.read(`${address} ${due.asset} ${due.amount}`)),
    build: payment => asked(async () => await (await envelopes()).build(network, payment, await fee())),
    verify: (made, signed) => asked(async () => await (await envelopes()).verify(network, made, signed)),
    submit: async signed => {
      const outcome = await network.submit(signed);
      if (outcome.state === 'applied') return settled(outcome);
      if (outcome.state === 'refused') return { state: 'refused', ...failureOfCodes(outcome.codes) };
      return { state: 'open', seenUntil: null };
    },
    status: async hash => {
      const status = await asked(() => network.status(hash));
      return status.state === 'applied' ? settled(status) : { state: 'open', seenUntil: status.ingested.closedAt };
    },
  };
}

const envelopes = () => import('./stellar-wallet-envelope.ts');

function settled(outcome: {
  readonly successful: boolean;
  readonly codes: Parameters<typeof failureOfCodes>[0];
}): WalletOutcome {
  return outcome.successful ? { state: 'applied' } : { state: 'failed', ...failureOfCodes(outcome.codes) };
}
