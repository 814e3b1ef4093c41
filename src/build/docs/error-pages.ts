import { type ErrorCode, errorCatalogue } from '../../core/error.ts';
import { errorGuide } from '../../server/platform/http/openapi/openapi-text.ts';
import { remedyOf } from './error-remedies.ts';
import { type DocPage, pageFrom, pathOf } from './page.ts';

const section = 'API';

const codes = Object.keys(errorCatalogue) as ErrorCode[];
const slugOfCode = (code: ErrorCode): string => `errors/${code}`;

/** The list of all errors, and a page for each code. The `doc_url` of an error is the address of its page. */
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
      type,
      code,
      message: errorGuide[code].replaceAll('`', ''),
      param: null,
      request_id: 'req_8GKYqrTwjUPD8ILPZIo2La',
      doc_url: `https://pay.example.com${pathOf(slugOfCode(code))}`,
      errors: [],
    },
  };
  const text = [
    `# ${code}`,
    `HTTP status ${status}, type \`${type}\`.`,
    `## Cause\n\n${errorGuide[code]}`,
    `## What to do\n\n${remedyOf(code, type)}`,
    `## Example\n\n\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\``,
    `The \`message\` of a real answer is about its request, \`param\` names the first wrong field, and \`request_id\` finds the request in the log. [All errors](${pathOf('errors')}).`,
  ];
  const description = errorGuide[code].replaceAll('`', '');
  return { ...pageFrom(slugOfCode(code), section, text.join('\n\n')), description, parent: 'errors', unlisted: true };
}
