import { systemClock } from '../../../../src/core/clock.ts';
import { createSandboxRates } from '../../../../src/sandbox/rates.ts';
import { sandboxAssets } from '../../../../src/sandbox/stellar/index.ts';
import { createStellarMoney } from '../../../../src/server/compose/stellar-money.ts';
import { merchantFromRow } from '../../../../src/server/merchants/merchant.store.ts';
import { outboundSweeps } from '../../../../src/server/outbound/module.ts';
import { createOutbound } from '../../../../src/server/outbound/outbound.service.ts';
import { createLog } from '../../../../src/server/platform/logging.ts';
import { createRates } from '../../../../src/server/rates/rates.ts';
import { readConfig } from '../../../../src/server/settings/config.ts';
import type { StellarNetwork } from '../../../../src/server/stellar/network.ts';
import { createSigner } from '../../../../src/server/stellar/signing/signer.ts';
import type { SpendingCaps } from '../../../../src/server/stellar/signing/signing-rules.ts';
import { createSpendBook } from '../../../../src/server/stellar/signing/spend.store.ts';
import { localKey } from '../../../../src/server/stellar/transaction/signing-key.ts';
import { createWatchedSweeper } from '../../../support/watched-sweeper.ts';
import type { SettlementLab } from '../../settlement/settlement-lab.ts';

export interface EngineOptions {
  /** Changes to the server's connection with the network. */
  readonly network?: Partial<StellarNetwork>;
  readonly feeCap?: bigint;
  readonly resumeCode?: string;
  readonly transactionCaps?: SpendingCaps;
  readonly dayCaps?: SpendingCaps;
}

/** Starts another server on the lab’s database that only sends money. Returns `stop` and the log. */
export function startEngine(lab: SettlementLab, options: EngineOptions = {}) {
  const { db } = lab.database;
  const { secrets } = lab.app;
  const logs: string[] = [];
  const log = createLog(readConfig({ PAY_LOG_LEVEL: 'warn' }), line => logs.push(line));
  const { feeCap = 100_000n, transactionCaps = null, dayCaps = null } = options;
  const network = { ...lab.network, ...options.network };
  const assets = Object.values(sandboxAssets);
  const wake = (name: string) => sweeper.wake(name);
  const hosts = {
    baseUrl: () => 'http://localhost:4242',
    merchantOf: () => null,
    primaryOf: () => null,
    originsOf: () => [],
  };
  const outbound = createOutbound({ db, clock: systemClock, wake, senders: [], purposes: [], log });
  const money = createStellarMoney({
    payments: {
      db,
      clock: systemClock,
      secrets,
      publicUrl: () => 'http://localhost:4242',
      hosts,
      wake,
      outbound,
      rates: createRates(createSandboxRates(systemClock), systemClock),
      purposes: [],
      findMerchant: async id =>
        merchantFromRow(await db.selectFrom('merchants').selectAll().where('id', '=', id).executeTakeFirstOrThrow()),
    },
    stellar: {
      network,
      assets,
      feeCap,
      livemode: false,
      pollMs: 100,
      resumeCode: options.resumeCode ?? null,
      links: { payUri: () => '', transactionUrl: () => null },
      friendbot: null,
      signer: createSigner({
        passphrase: lab.network.passphrase,
        secrets,
        feeCap,
        transactionCaps,
        dayCaps,
        heldAssets: assets,
        treasury: localKey(secrets.stellarSeed('treasury')),
        spendBook: createSpendBook(db, systemClock),
      }),
    },
    log,
    faucet: null,
    isReachable: () => true,
  });
  const sending = outboundSweeps({ db, clock: systemClock, log, outbound, senders: [money.sender], wake });
  const sweeps = [...money.treasury.sweeps, ...money.settlement.sweeps, ...sending];
  const sweeper = createWatchedSweeper({ db, sweeps, log });
  sweeper.start();
  return { stop: () => sweeper.stop(), logs };
}
