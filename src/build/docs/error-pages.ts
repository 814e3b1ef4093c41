import { type ErrorCode, type ErrorType, errorCatalogue } from '../../core/error.ts';
import { errorGuide } from '../../server/platform/http/openapi/openapi-text.ts';
import { type DocPage, pageFrom, pathOf } from './page.ts';

const section = 'API';

/** What a program does with an error of each type. */
const remedies: Readonly<Record<ErrorType, string>> = {
  invalid_request_error: 'Correct the request. Repeated unchanged, it gets the same answer.',
  authentication_error: 'Check the key. Do not repeat the call with the same key.',
  card_error: 'Ask the payer for another card or another method. The payment stays open.',
  payment_error: 'Show the message to the payer. Nothing was taken; the payment stays open.',
  permission_error: 'Use a key that may make this call, or change the setting that the message names.',
  not_found_error: 'Check the id and the mode of the key. Do not repeat the call unchanged.',
  conflict_error: 'Read the object again, then decide. Another call may have been faster.',
  idempotency_error: 'Use a new Idempotency-Key for a new request.',
  upstream_error:
    'Read the message: it names the provider. The call may be repeated later with the same Idempotency-Key.',
  rate_limit_error: 'Wait for the seconds in `Retry-After`, then repeat the call with the same Idempotency-Key.',
  api_error:
    'Repeat the call with the same Idempotency-Key, after `Retry-After` if the answer has it. Nothing is done twice.',
};

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const slugOfCode = (code: ErrorCode): string => `errors/${code}`;

/** The list of all errors, and a page for each code: the `doc_url` of an error leads there. */
export function errorPages(): DocPage[] {
  return [listPage(), ...codes.map(errorPage)];
}

function listPage(): DocPage {
  const rows = codes.map(code => {
    const { status } = errorCatalogue[code];
    return `| [\`${code}\`](${pathOf(slugOfCode(code))}) | ${status} | ${errorGuide[code].replaceAll('|', '\\|')} |`;
  });
  const text = [
    '# Errors',
    'Every error has a `code`. Its `message` is written for the very request; these pages say what the code means in general. Codes may be added; treat one you do not know by its HTTP status.',
    `| Code | Status | Meaning |\n|---|---|---|\n${rows.join('\n')}`,
  ];
  return pageFrom('errors', section, text.join('\n\n'));
}

function errorPage(code: ErrorCode): DocPage {
  const { status, type } = errorCatalogue[code];
  const body = {
    error: {
      ...{
        type,
        code,
        message: errorGuide[code].replaceAll('`', ''),
        param: null,
        request_id: 'req_8GKYqrTwjUPD8ILPZIo2La',
      },
      ...{ doc_url: `https://pay.example.com${pathOf(slugOfCode(code))}`, errors: [] },
    },
  };
  const text = [
    `# ${code}`,
    `HTTP status ${status}, type \`${type}\`.`,
    `## Cause\n\n${errorGuide[code]}`,
    `## What to do\n\n${remedies[type]}`,
    `## Example\n\n\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``,
    `The \`message\` of a real answer is about its request, \`param\` names the first wrong field, and \`request_id\` finds the request in the log. [All errors](${pathOf('errors')}).`,
  ];
  const description = errorGuide[code].replaceAll('`', '');
  return { ...pageFrom(slugOfCode(code), section, text.join('\n\n')), description, parent: 'errors', unlisted: true };
}
