import type { Event } from '../../api/event.ts';
import type { Tone } from '../controls/status-chip.ts';
import { sentenceCase } from '../controls/status-chip.ts';
import { assetWords, moneyWords } from '../controls/values.ts';

/** An event in words. */
export interface EventWords {
  /** A few words, for example `Payment received`. */
  readonly title: string;
  /** The details, for example `€128.40 · Ada Lovelace`. */
  readonly text: string;
  readonly tone: Tone;
  /** The page or list below `/dashboard` that shows the event's object. Null if there is none. */
  readonly path: string | null;
  /** Whether a toast shows the event, and the bell counts it. */
  readonly isLoud: boolean;
}

/** The words for one object and for several objects, and the path of their list. */
export type AttentionWords = readonly [one: string, many: string, path: string];

/** The words that an area brings for events and work of the service. */
export interface AreaWords {
  /** Titles of the area's events, by type. `loud`: a person should see the event at once. Default: the type's name. */
  readonly events?: Readonly<Record<string, readonly [title: string, tone: Tone, loud?: 'loud']>>;
  /** Paths that show the area's objects, by id prefix. The id follows a path that ends in a slash. */
  readonly objects?: Readonly<Record<string, string>>;
  /** Work that waits for a person, by the kind in the overview. */
  readonly attention?: Readonly<Record<string, AttentionWords>>;
}

/** The words of all areas. */
export interface Words {
  readonly eventWords: (event: Event) => EventWords;
  readonly attentionWords: Readonly<Record<string, AttentionWords>>;
}

/** The fields from which the words come. The object of an event has only some of them. */
interface Carried {
  readonly id?: string;
  readonly object?: string;
  readonly payment?: string | null;
  readonly amount?: number | string | null;
  readonly amount_received?: number;
  readonly total?: number;
  readonly currency?: string | null;
  readonly asset?: string | null;
  readonly asset_amount?: string | null;
  readonly amount_in?: number;
  readonly amount_out?: string;
  readonly fiat_currency?: string;
  readonly description?: string | null;
  readonly number?: string | null;
  readonly reference?: string | null;
  readonly customer?: { readonly name?: string | null; readonly email?: string } | string | null;
  readonly settlement?: { readonly amount: string | null; readonly asset: string };
  readonly payment_link?: string | null;
  readonly invoice?: string | null;
}

/** Combines the words of the areas. */
export function createWords(areas: readonly AreaWords[]): Words {
  const titles: NonNullable<AreaWords['events']> = Object.assign({}, ...areas.map(({ events }) => events));
  const paths: Record<string, string> = Object.assign({}, ...areas.map(({ objects }) => objects));
  const pathOf = ({ id = '', payment }: Carried): string | null => {
    const pathBy = (target: string) => paths[target.split('_')[0] ?? ''];
    const target = pathBy(id)?.endsWith('/') ? id : (payment ?? id);
    const path = pathBy(target) ?? null;
    return path?.endsWith('/') ? `${path}${target}` : path;
  };
  return {
    eventWords: event => {
      const { type } = event;
      const object = (event.data as { object?: Carried }).object ?? {};
      const [title, tone, loud] = titles[type] ?? [sentenceCase(type.replace('.', ' ')), 'plain'];
      // `payment_link.paid` or `invoice.paid` counts instead.
      const isTold = type === 'payment.completed' && Boolean(object.payment_link || object.invoice);
      return { title, tone, text: factsOf(type, object), path: pathOf(object), isLoud: loud !== undefined && !isTold };
    },
    attentionWords: Object.assign({}, ...areas.map(({ attention }) => attention)),
  };
}

function factsOf(type: string, object: Carried): string {
  const { customer, description, number, reference } = object;
  const who = typeof customer === 'object' ? customer?.name || customer?.email : null;
  return [sumOf(type, object), who ?? number ?? description ?? reference].filter(Boolean).join(' · ');
}

function sumOf(type: string, object: Carried): string | null {
  const { amount, amount_received, total, currency, asset, asset_amount, settlement } = object;
  const { amount_in: paid, amount_out: coins, fiat_currency: money } = object;
  if (paid !== undefined && coins && money && asset) return `${moneyWords(paid, money)} → ${assetWords(coins, asset)}`;
  if (type === 'payment.settled' && settlement?.amount) return assetWords(settlement.amount, settlement.asset);
  if (asset && asset_amount) return assetWords(asset_amount, asset);
  const isPart = type === 'payment.partially_paid' || type === 'payment.overpaid';
  const sum = isPart ? amount_received : (total ?? amount);
  if (typeof sum === 'number' && currency) return moneyWords(sum, currency);
  return typeof amount === 'string' && asset ? assetWords(amount, asset) : null;
}
