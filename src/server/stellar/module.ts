import { TreasuryBalance, TreasuryChannels, type TreasuryEvents, TreasuryHealth } from '../../api/treasury.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import type { Gauge } from '../platform/metrics.ts';
import { defineModule } from '../platform/module.ts';
import { registerStellarToml, type StellarTomlDeps } from './stellar-toml.routes.ts';
import { registerTreasuryRoutes, type TreasuryRouteDeps } from './treasury/treasury.routes.ts';

interface Deps extends Pick<TreasuryRouteDeps, 'db' | 'testKeys'> {
  readonly stellar: StellarTomlDeps & TreasuryRouteDeps['stellar'] & { close(): void };
  readonly money: {
    readonly treasury: {
      readonly sweeps: readonly Sweep[];
      readonly gauges: readonly Gauge[];
      readonly remarks: () => readonly string[];
    };
  };
}

const account = 'GBEQ73RT2TYEFIGLUBSZCBMIEAE5KX5VLM7B4XNVD4Y5CGIRPVZ6TCLP';
const channel = 'GCIDG723BMSJRHSMOWIXAJSG6GIOGP4KYQU2S66LPBTRVZZTRGNXT3QX';

/** Creates a sample balance with these differences. */
function balance(difference: Partial<TreasuryBalance> = {}) {
  return ({ caller }: SampleContext): TreasuryBalance => ({
    id: `${account}:XLM`,
    object: 'treasury',
    account,
    asset: 'XLM',
    spendable: '12.5000000',
    floor: '100.0000000',
    authorized: true,
    clawed_back: null,
    livemode: caller.livemode,
    ...difference,
  });
}

function sampleChannels({ caller }: SampleContext): TreasuryChannels {
  return {
    id: `${account}:0a1b2c3d4e`,
    object: 'treasury_channels',
    account,
    resume_code: '0a1b2c3d4e',
    channels: [{ account: channel, sequence: '219902325555217', known_sequence: '219902325555201' }],
    livemode: caller.livemode,
  };
}

const unchanged = () => ({});

/** Events of the treasury. They report a state, so they have no `previous` values. */
const treasuryEvents: EventDefinitions<TreasuryEvents> = {
  ...sampleEvents(TreasuryBalance, balance(), { 'treasury.low': unchanged }),
  ...sampleEvents(TreasuryBalance, balance({ authorized: false }), { 'treasury.frozen': unchanged }),
  ...sampleEvents(TreasuryBalance, balance({ clawed_back: '7.5000000' }), { 'treasury.clawed_back': unchanged }),
  ...sampleEvents(TreasuryChannels, sampleChannels, { 'treasury.out_of_step': unchanged }),
};

/** A Stellar network, and the treasury that sends the service's money there. */
export const stellar = defineModule<Deps>({
  name: 'stellar',
  tables: ['channel_accounts', 'treasury_balances', 'signer_spend'],
  schemas: { TreasuryBalance, TreasuryChannels, TreasuryHealth },
  fieldNotes: {
    channels: 'The channel accounts that the network has moved ahead of the database.',
    spendable: ['Amount that can be sent, decimal text.', '1200.0000000'],
    floor: ['Amount below which the event is sent, decimal text.', '500.0000000'],
    clawed_back: ['Amount that the issuer took back, decimal text.', '0.0000000'],
    sequence: ['Sequence number.', '4242'],
    known_sequence: ['Sequence number that the database knows.', '4240'],
    resume_code: ['Value for `PAY_TREASURY_RESUME`.', 'a1b2c3d4'],
  },
  tags: { Treasury: 'The account that sends the service’s money.' },
  events: treasuryEvents,
  routes: (app, deps) => {
    registerStellarToml(app, deps.stellar);
    registerTreasuryRoutes(app, deps);
  },
  sweeps: ({ money }) => money.treasury.sweeps,
  gauges: ({ money }) => money.treasury.gauges,
  remarks: ({ money }) => money.treasury.remarks(),
  stop: deps => deps.stellar.close(),
});
