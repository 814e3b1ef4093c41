import type { Domain } from '../../api/dashboard/domain.ts';
import type { Clock } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { parseHostName } from '../../core/web-address.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import { allDomains, deleteDomain, insertDomain } from './domain.store.ts';
import { firstCheckAt } from './domain.ts';
import { domainToWire } from './domain.view.ts';
import { type DomainCheckDeps, isLocalhost, targetOf } from './domain-check.ts';

type NameRules = Pick<DomainCheckDeps, 'publicUrl' | 'allowLocalhost'> & { readonly clock: Clock };

/** A new pending domain, not yet stored. Throws `parameter_invalid` for `param` if no merchant may have the name. */
export function newDomain(
  { publicUrl, allowLocalhost, clock }: NameRules,
  { merchantId, livemode }: MerchantScope,
  text: string,
  param: string,
) {
  const name = parseHostName(text);
  const refuse = (message: string) => new PayError('parameter_invalid', `${param} ${message}`, { param });
  if (name === null) throw refuse('takes a host name like pay.shop.example, without https:// and path.');
  if (name === targetOf(publicUrl())) throw refuse('is the address of this service. Use a domain of your own.');
  if (isLocalhost(name) && !allowLocalhost) throw refuse('ends in .localhost, which only the sandbox accepts.');
  const now = clock.now();
  return { merchant_id: merchantId, id: newId('domain'), livemode, name, created_at: now, check_at: firstCheckAt(now) };
}

/** The account's setting `custom_domain`: a shortcut for the calls under `/v1/domains`. */
export interface CustomDomain {
  /** The primary domain (the newest active one). Without an active domain, the newest domain, or null. */
  read(db: Executor, merchantId: string): Promise<Domain | null>;
  /** Adds the domain if it is new. Null removes all domains. Throws the errors of `newDomain` and `insertDomain`. */
  set(tx: Tx, scope: MerchantScope, name: string | null): Promise<void>;
}

export function createCustomDomain(deps: NameRules & Pick<DomainCheckDeps, 'secrets' | 'publicUrl'>): CustomDomain {
  return {
    read: async (db, merchantId) => {
      const rows = await allDomains(db, merchantId);
      const primary = rows.find(({ status }) => status === 'active');
      const shown = primary ?? rows[0];
      return shown === undefined ? null : domainToWire(deps, shown, primary?.id ?? null);
    },
    set: async (tx, scope, name) => {
      const rows = await allDomains(tx, scope.merchantId);
      if (name === null) {
        for (const { id } of rows) await deleteDomain(tx, scope.merchantId, id);
        return;
      }
      const domain = newDomain(deps, scope, name, 'custom_domain');
      if (rows.every(row => row.name !== domain.name)) await insertDomain(tx, domain);
    },
  };
}
