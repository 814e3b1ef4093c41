/** A problem document (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** Thrown to end a request with a problem document. */
export class HorizonProblem extends Error {
  override readonly name = 'HorizonProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }
}

const typeBase = 'https://stellar.org/horizon-errors/';

/** The problem document with its full type URL. */
export function problemBody(problem: Problem): Problem {
  return { ...problem, type: typeBase + problem.type };
}

const problem = (type: string, status: number, title: string, detail: string): Problem => ({
  type,
  title,
  status,
  detail,
});

/** Problem documents that contain nothing of the request. The texts are Horizon’s. */
export const problems = {
  notFound: problem(
    'not_found',
    404,
    'Resource Missing',
    'The resource at the url requested was not found.  This usually occurs for one of two reasons:  The url ' +
      'requested is not valid, or no data in our database could be found with the parameters provided.',
  ),
  beforeHistory: problem(
    'before_history',
    410,
    'Data Requested Is Before Recorded History',
    "This horizon instance is configured to only track a portion of the stellar network's latest history. This " +
      'request is asking for results prior to the recorded history known to this horizon instance.',
  ),
  notAcceptable: problem(
    'not_acceptable',
    406,
    'An acceptable response content-type could not be provided for this request',
    '',
  ),
  unsupportedMediaType: problem(
    'unsupported_media_type',
    415,
    'Unsupported Media Type',
    'The request has an unsupported content type. Presently, the only supported content type is ' +
      'application/x-www-form-urlencoded.',
  ),
  rateLimited: problem(
    'rate_limit_exceeded',
    429,
    'Rate Limit Exceeded',
    'The rate limit for the requesting IP address is over its alloted limit.  The allowed limit and requests left ' +
      "per time period are communicated to clients via the http response headers 'X-RateLimit-*' headers.",
  ),
  unavailable: problem(
    'service_unavailable',
    503,
    'Service Unavailable',
    'The request cannot be serviced at this time.',
  ),
  serverError: problem(
    'server_error',
    500,
    'Internal Server Error',
    'An error occurred while processing this request.  This is usually due to a bug within the server software.  ' +
      'Trying this request again may succeed if the bug is transient. Otherwise, please report this issue to the ' +
      'issue tracker at: https://github.com/stellar/go-stellar-sdk/issues. Please include this response in your issue.',
  ),
} as const;

export function invalidField(field: string, reason: string): HorizonProblem {
  return new HorizonProblem({
    type: 'bad_request',
    title: 'Bad Request',
    status: 400,
    detail: 'The request you sent was invalid in some way.',
    extras: { invalid_field: field, reason },
  });
}

export function badRequest(detail: string): HorizonProblem {
  return new HorizonProblem({ type: 'bad_request', title: 'Bad Request', status: 400, detail });
}

export function notFound(): HorizonProblem {
  return new HorizonProblem(problems.notFound);
}

/** The problem of a transaction that had no result before the timeout. */
export function submissionTimeout(hash: string, envelopeXdr: string): HorizonProblem {
  return new HorizonProblem({
    type: 'transaction_submission_timeout',
    title: 'Transaction Submission Timeout',
    status: 504,
    detail:
      'Your transaction submission request has timed out. This does not necessarily mean the submission has failed. ' +
      'Before resubmitting, please use the transaction hash provided in `extras.hash` to poll the GET /transactions ' +
      'endpoint for sometime and check if it was included in a ledger.',
    extras: { hash, envelope_xdr: envelopeXdr },
  });
}

/** The problem of a transaction that was refused or that failed. */
export function transactionFailed(
  envelopeXdr: string,
  resultXdr: string,
  resultCodes: Readonly<Record<string, unknown>>,
): HorizonProblem {
  return new HorizonProblem({
    type: 'transaction_failed',
    title: 'Transaction Failed',
    status: 400,
    detail:
      'The transaction failed when submitted to the stellar network. The `extras.result_codes` field on this response ' +
      'contains further details.  Descriptions of each code can be found at: ' +
      'https://developers.stellar.org/api/errors/http-status-codes/horizon-specific/transaction-failed/',
    extras: { envelope_xdr: envelopeXdr, result_xdr: resultXdr, result_codes: resultCodes },
  });
}

export function transactionMalformed(envelopeXdr: string): HorizonProblem {
  return new HorizonProblem({
    type: 'transaction_malformed',
    title: 'Transaction Malformed',
    status: 400,
    detail:
      'Horizon could not decode the transaction envelope in this request. A transaction should be an XDR ' +
      'TransactionEnvelope struct encoded using base64.  The envelope read from this request is echoed in the ' +
      '`extras.envelope_xdr` field of this response for your convenience.',
    extras: { envelope_xdr: envelopeXdr },
  });
}
