import { TreasuryBalance, TreasuryChannels, type TreasuryEvents } from '../../api/treasury.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';

const account = 'GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP';
const channel = 'GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX';

function sampleBalance({ caller }: SampleContext): TreasuryBalance {
  return {
    id: `${account}:XLM`,
    object: 'treasury',
    account,
    asset: 'XLM',
    spendable: '12.5000000',
    floor: '100.0000000',
    authorized: true,
    clawed_back: null,
    livemode: caller.livemode,
  };
}

function sampleChannels({ caller }: SampleContext): TreasuryChannels {
  return {
    id: `${account}:0a1b2c3d4e`,
    object: 'treasury_channels',
    account,
    channels: [{ account: channel, sequence: '219902325555217', known_sequence: '219902325555201' }],
    resume_code: '0a1b2c3d4e',
    livemode: caller.livemode,
  };
}

const nothing = () => ({});

/** Events of the service's own account, with samples. None has former values: each reports a state. */
export const treasuryEvents: EventDefinitions<TreasuryEvents> = {
  ...sampleEvents(TreasuryBalance, sampleBalance, { 'treasury.low': nothing }),
  ...sampleEvents(TreasuryBalance, context => ({ ...sampleBalance(context), authorized: false }), {
    'treasury.frozen': nothing,
  }),
  ...sampleEvents(TreasuryBalance, context => ({ ...sampleBalance(context), clawed_back: '7.5000000' }), {
    'treasury.clawed_back': nothing,
  }),
  ...sampleEvents(TreasuryChannels, sampleChannels, { 'treasury.out_of_step': nothing }),
};
