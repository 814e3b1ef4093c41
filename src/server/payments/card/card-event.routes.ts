import { Type } from 'typebox';
import { PayError } from '../../../core/error.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { insertCardEvents } from './card-event.store.ts';
import { cardEventSweep } from './card-events.service.ts';

/** Longest body of a webhook, in bytes. */
const longestBody = 262_144;

const params = Type.Object({ rail: Type.String() });

/**
 * `POST /rails/:rail/events`, where acquirers send their events. The rail checks the signature of the unchanged body.
 * The answer follows when the events are stored.
 */
export function registerCardEventRoute(app: HttpApp, deps: PaymentDeps): void {
  app.register(async (scope: HttpApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: longestBody }, (_, body, done) => done(null, body));
    const options = { schema: { params, hide: true }, config: { access: 'public' } } as const;
    scope.post('/rails/:rail/events', options, async request => {
      const { rail: id } = request.params as { rail: string };
      const webhook = deps.rails.cards.find(card => card.id === id)?.events;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const events = webhook !== undefined && 'verify' in webhook ? webhook.verify(request.headers, body) : null;
      if (events === null) throw new PayError('resource_missing', 'No acquirer has signed this request.');
      await insertCardEvents(deps.db, { rail: id, events, cursor: null, now: deps.clock.now() });
      deps.wake(cardEventSweep);
      return { received: events.length };
    });
  });
}
