import type { EventType } from '../../../api/event.ts';
import type { TreasuryBalance, TreasuryChannels } from '../../../api/treasury.ts';

/** Events of the service’s own account. */
export type TreasuryEventType = Extract<EventType, `treasury.${string}`>;

/** Whether the event is one of the service’s own account. */
export function isTreasuryEvent(type: EventType): type is TreasuryEventType {
  return type.startsWith('treasury.');
}

const account = 'GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP';
const channel = 'GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX';

/** A sample of it. */
export function sampleTreasury(type: TreasuryEventType, livemode: boolean) {
  const object = type === 'treasury.out_of_step' ? sampleChannels(livemode) : sampleBalance(type, livemode);
  return { resourceId: object.id, object, previous: null };
}

function sampleBalance(type: TreasuryEventType, livemode: boolean): TreasuryBalance {
  return {
    id: `${account}:XLM`,
    object: 'treasury',
    account,
    asset: 'XLM',
    spendable: '12.5000000',
    floor: '100.0000000',
    authorized: type !== 'treasury.frozen',
    clawed_back: type === 'treasury.clawed_back' ? '7.5000000' : null,
    livemode,
  };
}

function sampleChannels(livemode: boolean): TreasuryChannels {
  return {
    id: `${account}:0a1b2c3d4e`,
    object: 'treasury_channels',
    account,
    channels: [{ account: channel, sequence: '219902325555217', known_sequence: '219902325555201' }],
    resume_code: '0a1b2c3d4e',
    livemode,
  };
}
