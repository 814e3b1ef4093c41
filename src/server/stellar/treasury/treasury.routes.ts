import { TreasuryHealth } from '../../../api/treasury.ts';
import { PayError } from '../../../core/error.ts';
import { formatUnits } from '../../../core/money.ts';
import { stellarDecimals } from '../../../core/stellar/stellar-amount.ts';
import { committedAmounts, readWaiting } from '../../outbound/outbound.store.ts';
import type { Db } from '../../platform/db/database.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import { accountants } from '../../platform/http/access/roles.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listChannels } from './channel.store.ts';
import { treasuryRail } from './treasury-deps.ts';
import { listSeen } from './treasury-watch.store.ts';

export interface TreasuryRouteDeps {
  readonly db: Db;
  readonly stellar: { readonly signer: { readonly treasury: string }; readonly livemode: boolean };
  readonly money: { readonly treasury: { readonly remarks: () => readonly string[] } };
  /** The id of the operator's own merchant. */
  readonly testKeys: () => Promise<{ readonly merchantId: string }>;
}

/** `GET /v1/treasury`. The treasury belongs to the operator, so users of other merchants cannot see it. */
export function registerTreasuryRoutes(app: HttpApp, deps: TreasuryRouteDeps): void {
  app.get(
    '/v1/treasury',
    {
      schema: {
        response: { 200: TreasuryHealth },
        tags: ['Treasury'],
        summary: 'Read the state of the treasury',
        description: 'For people of the operator’s merchant. Balances are those of the last reading.',
      },
      config: { access: 'person', roles: accountants },
    },
    async request => {
      if (callerOf(request).merchant.id !== (await deps.testKeys()).merchantId) {
        throw new PayError('role_not_allowed', 'Only people of the operator’s merchant see the treasury.');
      }
      return await readHealth(deps);
    },
  );
}

async function readHealth({ db, stellar, money }: TreasuryRouteDeps): Promise<TreasuryHealth> {
  const { treasury } = stellar.signer;
  const [balances, channels, waiting, committed] = await Promise.all([
    listSeen(db, treasury),
    listChannels(db, treasury),
    readWaiting(db, treasuryRail),
    committedAmounts(db, treasuryRail, ['queued', 'held', 'sending']),
  ]);
  const text = (amount: bigint) => formatUnits(amount, stellarDecimals);
  return {
    object: 'treasury_health',
    account: treasury,
    balances: balances.map(({ asset, spendable, authorized, low, seen_at }) => ({
      asset,
      spendable: text(spendable),
      committed: text(committed.get(asset) ?? 0n),
      authorized,
      low,
      seen_at: seen_at.toISOString(),
    })),
    channels: { total: channels.length, sending: channels.filter(({ carrier_id: id }) => id !== null).length },
    waiting: waiting.map(({ state, reason, count, oldestSeconds }) => ({
      state,
      reason,
      count,
      oldest_seconds: Math.max(0, Math.floor(oldestSeconds)),
    })),
    remarks: [...money.treasury.remarks()],
    livemode: stellar.livemode,
  };
}
