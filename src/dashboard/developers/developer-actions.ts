import { html } from 'lit';
import type { PayClient } from '../../api/client.ts';
import type { WebhookEndpoint } from '../../api/event.ts';
import type { ApiKey, CreateApiKey } from '../../api/merchant.ts';
import type { DashboardContext } from '../app/dashboard-context.ts';
import type { Action } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';

/** The service, and the person who creates a key. */
type Maker = Pick<DashboardContext, 'client' | 'may' | 'session'>;

const allTestData = 'All test data, no settings';
const readsPayments = ['payments:read', 'Read payments and links'] as const;

/** The scopes that the form offers for a key, the widest first. The person's role allows all of them. */
function rightsOf({ may, session }: Maker): readonly (readonly [scopes: string, label: string])[] {
  if (may('manage')) {
    return [['*', 'Everything'], readsPayments, ['payments:write', 'Create payments and links']];
  }
  const hooks = ['payments:read events:read webhooks:write', 'Read payments and events, manage webhooks'] as const;
  if (session === null || session.livemode) return [readsPayments, hooks];
  return [[session.test_data_scopes.join(' '), allTestData], readsPayments, hooks];
}

/** The scopes of a key in words. */
export function rightsWords({ session }: Pick<Maker, 'session'>, scopes: readonly string[]): string {
  if (scopes.includes('*')) return 'Everything';
  return session?.test_data_scopes.every(scope => scopes.includes(scope)) ? allTestData : scopes.join(', ');
}

/** Creates a key. `done` gets the key with its text, which the service shows only once. */
export function createKeyAction(maker: Maker, done: (key: ApiKey) => void): Action {
  const rights = rightsOf(maker);
  const widest = rights[0]?.[0] ?? '';
  const hint = maker.may('manage') ? '' : 'An owner or admin makes keys that may change settings or live data.';
  return {
    heading: 'New API key',
    start: { type: 'secret', scope: widest },
    fields: keyFields(rights, hint),
    effects: ({ type, scope = widest }) => [
      isSecret(type)
        ? { what: 'A program with it', result: `may do: ${rightsWords(maker, scope.split(' '))}` }
        : { what: 'It may be public', result: 'it only takes payments, on pages of your allowed origins' },
    ],
    button: () => 'Create key',
    run: async ({ type, name, scope = widest }, idempotencyKey) => {
      const body: CreateApiKey = {
        type: isSecret(type) ? 'secret' : 'publishable',
        ...(name?.trim() && { name: name.trim() }),
        ...(isSecret(type) && { scopes: scope.split(' ') }),
      };
      done(await maker.client.apiKeys.create(body, { idempotencyKey }));
    },
  };
}

/** The fields of a new key. `hint` explains which rights are missing. */
function keyFields(rights: ReturnType<typeof rightsOf>, hint: string): NonNullable<Action['fields']> {
  return ({ type: kind, name = '', scope = rights[0]?.[0] ?? '' }, errors, type) => html`
      ${formField({
        label: 'Kind',
        name: 'type',
        value: kind ?? 'secret',
        onInput: value => type('type', value),
        options: [
          ['secret', 'Secret, for your server'],
          ['publishable', 'Publishable, for pages and apps'],
        ],
      })}
      ${formField({
        label: 'Name',
        name: 'name',
        value: name,
        maxLength: 100,
        placeholder: 'Web shop',
        error: errors['name'],
        onInput: value => type('name', value),
      })}
      ${
        isSecret(kind)
          ? formField({
              label: 'May do',
              name: 'scopes',
              value: scope,
              options: rights,
              hint,
              error: errors['scopes'],
              onInput: value => type('scope', value),
            })
          : ''
      }`;
}

const isSecret = (type: string | undefined) => type === 'secret';

/** Revokes a key permanently. */
export function revokeKeyAction(client: PayClient, key: ApiKey, done: () => void): Action {
  return {
    heading: 'Revoke this key?',
    effects: () => [
      { what: 'Key', result: key.name ?? key.hint },
      { what: 'Programs that use it', result: 'are refused at once' },
      { what: 'Open streams with it', result: 'end' },
      { what: 'Afterwards', result: 'it cannot be brought back' },
    ],
    button: () => 'Revoke key',
    isDangerous: true,
    run: async () => {
      await client.apiKeys.delete(key.id);
      done();
    },
  };
}

const eventsOf = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter(Boolean);

/** Changes an endpoint, or creates one if `endpoint` is null. `done` gets the result. A new endpoint has its secret. */
export function endpointAction(
  client: PayClient,
  endpoint: WebhookEndpoint | null,
  done: (endpoint: WebhookEndpoint) => void,
): Action {
  return {
    heading: endpoint === null ? 'New webhook endpoint' : 'Edit endpoint',
    start: { url: endpoint?.url ?? '', events: endpoint?.events.join('\n') ?? '*' },
    fields: ({ url = '', events = '' }, errors, type) => html`
      ${formField({
        label: 'Address',
        name: 'url',
        type: 'url',
        value: url,
        placeholder: 'https://shop.example/hooks',
        maxLength: 2048,
        required: true,
        error: errors['url'],
        onInput: value => type('url', value),
      })}
      ${formField({
        label: 'Events',
        name: 'events',
        value: events,
        rows: 3,
        error: errors['events'] ?? errors['events[0]'],
        hint: 'One in each line: * for all, payment.* for a family, or one type.',
        onInput: value => type('events', value),
      })}`,
    effects: ({ events }) => [
      { what: 'Events sent', result: eventsOf(events).includes('*') ? 'All' : eventsOf(events).join(', ') || '…' },
      { what: 'Each call', result: 'is signed with the endpoint’s secret' },
    ],
    button: ({ url, events }) =>
      url?.trim() && eventsOf(events).length > 0 ? (endpoint === null ? 'Create endpoint' : 'Save') : null,
    run: async ({ url = '', events }, idempotencyKey) => {
      const body = { url: url.trim(), events: eventsOf(events) };
      const call =
        endpoint === null
          ? client.webhookEndpoints.create(body, { idempotencyKey })
          : client.webhookEndpoints.update(endpoint.id, body);
      done(await call);
    },
  };
}

/** Creates a new secret. For one day, the old and the new secret both sign events. */
export function rotateAction(
  client: PayClient,
  endpoint: WebhookEndpoint,
  done: (endpoint: WebhookEndpoint) => void,
): Action {
  return {
    heading: 'New secret?',
    effects: () => [
      { what: 'New secret', result: 'shown once' },
      { what: 'Old secret', result: 'signs beside it for 24 hours' },
    ],
    button: () => 'Make a new secret',
    run: async (_, idempotencyKey) => done(await client.webhookEndpoints.rotateSecret(endpoint.id, { idempotencyKey })),
  };
}

/** Deletes an endpoint and cancels its waiting deliveries. */
export function deleteEndpointAction(client: PayClient, endpoint: WebhookEndpoint, done: () => void): Action {
  return {
    heading: 'Delete this endpoint?',
    effects: () => [
      { what: 'Address', result: endpoint.url },
      { what: 'Deliveries that wait', result: 'are canceled' },
      { what: 'Events', result: 'stay listed' },
    ],
    button: () => 'Delete endpoint',
    isDangerous: true,
    run: async () => {
      await client.webhookEndpoints.delete(endpoint.id);
      done();
    },
  };
}
