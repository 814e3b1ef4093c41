import type { HttpExchange } from '../../platform/http-exchange.ts';
import type { CheckOutcome, CheckRequest, KycProvider, KycValues } from '../provider.ts';
import {
  type CallSumsub,
  createSumsubApi,
  type JsonFields,
  objectIn,
  openSumsubCallback,
  type SumsubAccount,
} from './sumsub-api.ts';

interface SumsubDeps {
  readonly account: SumsubAccount;
  readonly http: Pick<HttpExchange, 'send' | 'close'>;
}

/**
 * Sumsub, by its published API of applicants. A customer is one applicant, whose `externalUserId` is the service's name
 * of the customer. The operator creates one level for each type and tier: `person-basic`, `organization-enhanced` … The
 * connector sends data and no files, so the levels must not ask for documents.
 */
export function createSumsub({ account, http }: SumsubDeps): KycProvider {
  let problem: string | null = null;
  const call = createSumsubApi(account, http, text => {
    problem = text;
  });
  return {
    id: 'sumsub',
    livemode: true,
    submit: request => submit(call, request),
    read: async ({ reference, now }) => {
      if (reference === null) return null;
      const answer = await call({ method: 'GET', path: `${applicantPath(reference)}/status`, now });
      if (answer?.status === 404) return null;
      return answer?.status === 200 ? outcomeOf(reference, answer.body) : { state: 'unknown' };
    },
    verify: (headers, body, now) => openSumsubCallback(account, headers, body, now),
    problem: () => problem,
    close: () => http.close(),
  };
}

const applicants = '/resources/applicants';
const applicantPath = (id: string) => `${applicants}/${encodeURIComponent(id)}`;
const levelOf = ({ type, tier }: CheckRequest) => `${type}-${tier}`;

/** Creates or changes the applicant, then asks for a check. Each step may be repeated. */
async function submit(call: CallSumsub, request: CheckRequest): Promise<CheckOutcome> {
  const { now } = request;
  const id = (await createApplicant(call, request)) ?? (await changeApplicant(call, request));
  if (id === null) return { state: 'unknown' };
  const asked = await call({ method: 'POST', path: `${applicantPath(id)}/status/pending`, now });
  return asked?.status === 200 ? { state: 'pending', reference: id } : { state: 'unknown' };
}

/** The id of a new applicant. Null if the applicant exists, or without an answer. */
async function createApplicant(call: CallSumsub, request: CheckRequest): Promise<string | null> {
  const { subject: externalUserId, type, values, now } = request;
  const kind = type === 'person' ? 'individual' : 'company';
  const email = values['email_address'] ?? values['organization.email'];
  const phone = values['mobile_number'] ?? values['organization.phone'];
  const json = { externalUserId, type: kind, email, phone, fixedInfo: infoOf(request) };
  const path = `${applicants}?levelName=${levelOf(request)}`;
  const answer = await call({ method: 'POST', path, json, now });
  return answer?.status === 200 || answer?.status === 201 ? idIn(answer.body) : null;
}

/** Gives an existing applicant the new data and level. Null if a step fails. */
async function changeApplicant(call: CallSumsub, request: CheckRequest): Promise<string | null> {
  const { subject, now } = request;
  const path = `${applicants}/-;externalUserId=${encodeURIComponent(subject)}/one`;
  const found = await call({ method: 'GET', path, now });
  const id = found?.status === 200 ? idIn(found.body) : null;
  if (id === null) return null;
  const changed = await call({ method: 'PATCH', path: `${applicantPath(id)}/fixedInfo`, json: infoOf(request), now });
  const level = `${applicantPath(id)}/moveToLevel?name=${levelOf(request)}`;
  const moved = changed?.status === 200 ? await call({ method: 'POST', path: level, now }) : null;
  return moved?.status === 200 ? id : null;
}

function idIn({ id }: JsonFields): string | null {
  return typeof id === 'string' && id !== '' ? id : null;
}

/** The applicant's data in Sumsub's words. JSON omits fields that are not given. */
function infoOf({ type, values }: CheckRequest): object {
  return type === 'person' ? personOf(values) : { companyInfo: companyOf(values) };
}

function personOf(values: KycValues) {
  return {
    firstName: values['first_name'],
    lastName: values['last_name'],
    middleName: values['additional_name'],
    dob: values['birth_date'],
    placeOfBirth: values['birth_place'],
    countryOfBirth: values['birth_country_code'],
    country: values['address_country_code'],
    tin: values['tax_id'],
    addresses: [
      {
        street: values['address'],
        town: values['city'],
        state: values['state_or_province'],
        postCode: values['postal_code'],
        country: values['address_country_code'],
      },
    ],
  };
}

function companyOf(values: KycValues) {
  return {
    companyName: values['organization.name'],
    registrationNumber: values['organization.registration_number'],
    country: values['organization.address_country_code'],
    legalAddress: values['organization.registered_address'],
    incorporatedOn: values['organization.registration_date'],
    taxId: values['organization.VAT_number'],
    email: values['organization.email'],
    phone: values['organization.phone'],
    website: values['organization.website'],
  };
}

/** The states of a review that are not decided yet. */
const undecided: readonly unknown[] = ['init', 'pending', 'prechecked', 'queued', 'onHold', 'awaitingService'];

/**
 * The outcome of a review (docs.sumsub.com/reference/get-applicant-review-status). An unknown word is `unknown`, never a
 * decision.
 */
function outcomeOf(reference: string, { reviewStatus, reviewResult }: JsonFields): CheckOutcome {
  if (undecided.includes(reviewStatus)) return { state: 'pending', reference };
  const { reviewAnswer, reviewRejectType, moderationComment, rejectLabels } = objectIn(reviewResult);
  if (reviewStatus !== 'completed') return { state: 'unknown' };
  if (reviewAnswer === 'GREEN') return { state: 'approved', reference };
  if (reviewAnswer !== 'RED') return { state: 'unknown' };
  const reasons = reasonsOf(moderationComment, rejectLabels);
  if (reviewRejectType === 'FINAL') return { state: 'rejected', reference, reasons };
  return reviewRejectType === 'RETRY' ? { state: 'more_needed', reference, reasons, fields: [] } : { state: 'unknown' };
}

/** The comment for the customer, or the labels. `clientComment` may be private, so it is not read. */
function reasonsOf(comment: unknown, labels: unknown): readonly string[] {
  if (typeof comment === 'string' && comment.trim() !== '') return [comment.trim().slice(0, 500)];
  return Array.isArray(labels) ? labels.filter(label => typeof label === 'string').slice(0, 20) : [];
}
