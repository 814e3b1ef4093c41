import { ScVal } from '@stellar/stellar-sdk/xdr';
import { accountOf } from '../core/state/identifiers.ts';
import type { RpcEvent } from './contract-event.ts';
import { invalidParams } from './rpc-request.ts';

/** A filter of events. An event is wanted if it matches at least one filter, or if the request has no filter. */
export interface EventFilter {
  /** Contract addresses (`C…`). Empty: all contracts. */
  readonly contractIds: readonly string[];
  /**
   * Patterns of topics. Each element is an `ScVal` (base64), `*` for any one topic, or, at the end, `**` for all
   * further topics. An empty list matches all events.
   */
  readonly topics: readonly (readonly string[])[];
}

const mostFilters = 5;
const mostContracts = 5;
const mostTopics = 5;
const mostSegments = 4;

/** Reads `filters` of `getEvents`. The sandbox has only `contract` events. Filters for other types match no event. */
export function readFilters(value: unknown): readonly EventFilter[] {
  if (value === undefined || value === null) return [];
  const list = arrayOf(value, 'filters', mostFilters);
  return list.flatMap((item, index) => {
    const filter = item as Readonly<Record<string, unknown>> | null;
    if (typeof filter !== 'object' || filter === null) throw invalidParams(`filter ${index + 1} invalid`);
    const types = typeof filter['type'] === 'string' ? filter['type'].split(',').filter(type => type !== '') : [];
    if (types.length > 0 && !types.includes('contract')) return [nothing];
    return [{ contractIds: contractsOf(filter['contractIds']), topics: topicsOf(filter['topics']) }];
  });
}

/** A filter that matches no event. */
const nothing: EventFilter = { contractIds: [''], topics: [] };

function arrayOf(value: unknown, name: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParams(`${name} must be a list`);
  if (value.length > most) throw invalidParams(`maximum ${most} ${name} per request`);
  return value;
}

function contractsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  return arrayOf(value, 'contract IDs', mostContracts).map(String);
}

function topicsOf(value: unknown): readonly (readonly string[])[] {
  if (value === undefined || value === null) return [];
  return arrayOf(value, 'topics', mostTopics).map(pattern => {
    if (!Array.isArray(pattern) || pattern.length === 0) throw invalidParams('topic must have at least one segment');
    const segments = pattern.map(String);
    const isOpen = segments.at(-1) === '**';
    if (segments.length - (isOpen ? 1 : 0) > mostSegments) {
      throw invalidParams(`topic cannot have more than ${mostSegments} segments`);
    }
    for (const segment of segments.slice(0, isOpen ? -1 : undefined)) {
      if (segment !== '*' && valueOfSegment(segment) === null)
        throw invalidParams(`segment ${segment} is not an ScVal`);
    }
    return segments;
  });
}

function valueOfSegment(segment: string): ScVal | null {
  try {
    return ScVal.fromXdr(segment, 'base64');
  } catch {
    return null;
  }
}

export function isWanted(filters: readonly EventFilter[], { contractId, topics }: RpcEvent): boolean {
  if (filters.length === 0) return true;
  return filters.some(
    filter =>
      (filter.contractIds.length === 0 || filter.contractIds.includes(contractId)) &&
      (filter.topics.length === 0 || filter.topics.some(pattern => matches(pattern, topics))),
  );
}

function matches(pattern: readonly string[], topics: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '**';
  const segments = isOpen ? pattern.slice(0, -1) : pattern;
  if (isOpen ? topics.length < segments.length : topics.length !== segments.length) return false;
  return segments.every((segment, index) => segment === '*' || segment === topics[index]);
}

/**
 * The accounts that the filters name. Each wanted event names one of these accounts, so only their transactions must be
 * read. Null if a filter also matches events of other accounts.
 */
export function accountsNamed(filters: readonly EventFilter[]): readonly string[] | null {
  const accounts = new Set<string>();
  for (const { topics } of filters) {
    if (topics.length === 0) return null;
    for (const pattern of topics) {
      const named = pattern.flatMap(accountIn);
      if (named.length === 0) return null;
      for (const account of named) accounts.add(account);
    }
  }
  return accounts.size === 0 ? null : [...accounts];
}

function accountIn(segment: string): readonly string[] {
  const value = segment.includes('*') ? null : valueOfSegment(segment);
  if (value?.type !== 'scvAddress' || value.address.type !== 'scAddressTypeAccount') return [];
  return [accountOf(value.address.accountId.toXdrObject())];
}
