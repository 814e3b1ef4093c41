import type { PayClient } from '../../api/client.ts';
import type { Domain } from '../../api/dashboard/domain.ts';
import type { Action } from '../controls/action-dialog.ts';
import { formField } from '../controls/form-field.ts';

const localHint = ' In the sandbox, a name below .localhost needs no records: try pay.localhost.';

/** Adds a domain. `isSandbox`: names below `.localhost` are allowed and need no DNS. `done` gets the new domain. */
export function addDomainAction(client: PayClient, isSandbox: () => boolean, done: (domain: Domain) => void): Action {
  return {
    heading: 'Add a domain',
    start: { name: '' },
    fields: ({ name = '' }, errors, type) =>
      formField({
        label: 'Domain',
        name: 'name',
        value: name,
        required: true,
        maxLength: 253,
        inputMode: 'url',
        placeholder: 'pay.shop.example',
        autocomplete: 'off',
        error: errors['name'],
        hint: `A name of yours that serves nothing else.${isSandbox() ? localHint : ''}`,
        onInput: text => type('name', text),
      }),
    effects: () => [
      { what: 'Next', result: 'you create two DNS records, which this page shows' },
      { what: 'Payers', result: 'see no change until the records are found' },
    ],
    button: ({ name = '' }) => (name.trim() === '' ? null : 'Add domain'),
    run: async ({ name = '' }, idempotencyKey) =>
      done(await client.domains.create({ name: name.trim() }, { idempotencyKey })),
  };
}

/** Removes a domain. `next`: the beginning of the addresses of later pages, if the domain is the primary one. */
export function removeDomainAction(client: PayClient, domain: Domain, next: string, done: () => void): Action {
  const isUsed = domain.verified_at !== null;
  return {
    heading: 'Remove this domain?',
    effects: () =>
      [
        { what: 'Domain', result: domain.name },
        isUsed && { what: 'Addresses with this name, in mails and QR codes too', result: 'stop working' },
        isUsed && { what: 'The same pages', result: 'stay open at the service’s own address' },
        domain.primary && { what: 'New addresses', result: `begin with ${next}` },
        { what: 'Its DNS records', result: 'stay until you delete them at your DNS provider' },
      ].filter(each => each !== false),
    button: () => 'Remove domain',
    isDangerous: true,
    run: async () => {
      await client.domains.delete(domain.id);
      done();
    },
  };
}
