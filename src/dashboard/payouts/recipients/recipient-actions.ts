import { html } from 'lit';
import type { PayClient } from '../../../api/client.ts';
import type { Recipient, RecipientDestination } from '../../../api/recipient.ts';
import type { Action } from '../../controls/action-dialog.ts';
import { destinationFields, destinationStart, plainErrors, typedDestination } from '../destination-fields.ts';
import type { WaysOut } from '../destination-ways.ts';
import { detailFields, detailTexts, typedDetails } from './recipient-fields.ts';
import { placeWords } from './recipient-words.ts';

/** The data and functions for a recipient's actions. `done` gets the changed recipient and the toast's text. */
interface Acting {
  readonly client: PayClient;
  readonly recipient: Recipient;
  readonly ways?: WaysOut;
  readonly done: (recipient: Recipient, sentence: string) => void;
}

const earlier = { what: 'Payouts already made', result: 'Keep their destination' };

/** Changes name, type, e-mail address, country and reference. */
export function editRecipient({ client, recipient, done }: Acting): Action {
  return {
    heading: 'Edit recipient',
    start: detailTexts(recipient),
    fields: detailFields,
    effects: () => [earlier],
    button: texts => (texts['name']?.trim() ? 'Save' : null),
    run: async texts => done(await client.recipients.update(recipient.id, typedDetails(texts)), 'Recipient saved'),
  };
}

/** Adds a destination after the others. */
export function addDestination({ client, recipient, ways = null, done }: Acting): Action {
  const { destinations } = recipient;
  return {
    heading: 'Add a destination',
    start: destinationStart,
    fields: (texts, errors, type) => destinationFields({ texts, errors: plainErrors(errors), type, ways }),
    effects: () => [
      {
        what: 'Payouts without a destination of their own',
        result: destinations.length === 0 ? 'Go to it' : 'Go to the default as before',
      },
    ],
    button: () => 'Add destination',
    run: async texts => {
      const added = typedDestination(texts);
      const all = [...destinations.map(({ destination }) => destination), ...(added === null ? [] : [added])];
      const chosen = destinations.find(({ default: isDefault }) => isDefault);
      const body = { destinations: all, ...(chosen !== undefined && { default_destination: chosen.id }) };
      done(await client.recipients.update(recipient.id, body), 'Destination added');
    },
  };
}

/** Makes a destination the default: payouts that name no destination go there. */
export function makeDefault({ client, recipient, done }: Acting, place: RecipientDestination): Action {
  return {
    heading: 'Make it the default',
    effects: () => [{ what: 'Later payouts without a destination', result: placeWords(place) }, earlier],
    button: () => 'Make it the default',
    run: async () =>
      done(await client.recipients.update(recipient.id, { default_destination: place.id }), 'Default changed'),
  };
}

/** Removes one destination. */
export function removeDestination({ client, recipient, done }: Acting, place: RecipientDestination): Action {
  const rest = recipient.destinations.filter(({ id }) => id !== place.id);
  const next = rest.find(({ default: isDefault }) => isDefault) ?? rest[0];
  return {
    heading: 'Remove the destination',
    isDangerous: true,
    effects: () => [
      { what: 'Removed', result: placeWords(place) },
      { what: 'Later payouts', result: next === undefined ? 'Need a destination of their own' : placeWords(next) },
      earlier,
    ],
    button: () => 'Remove destination',
    run: async () => {
      const destinations = rest.map(({ destination }) => destination);
      const body = { destinations, ...(next !== undefined && { default_destination: next.id }) };
      done(await client.recipients.update(recipient.id, body), 'Destination removed');
    },
  };
}

/** Removes the recipient. */
export function removeRecipient(client: PayClient, recipient: Recipient, done: () => void): Action {
  return {
    heading: 'Remove recipient',
    isDangerous: true,
    effects: () => [
      { what: 'Removed', result: html`<bdi>${recipient.name}</bdi>` },
      { what: 'Its payouts', result: 'Stay as they are' },
      { what: 'Recurring batches that pay it', result: 'Leave its row out, or fail' },
    ],
    button: () => 'Remove recipient',
    run: async () => {
      await client.recipients.delete(recipient.id);
      done();
    },
  };
}
