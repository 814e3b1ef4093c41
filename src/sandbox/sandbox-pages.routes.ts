import type { FastifyInstance, FastifyReply } from 'fastify';
import type {} from '../server/platform/http/access/caller.ts';
import { type CardChallenges, type ChallengeChoice, challengeChoices } from './cardholder.ts';
import { challengePage, decidedPage, threeDSecureStyle, unknownChallengePage } from './three-d-secure-page.ts';

interface SandboxPagesDeps {
  readonly cards: CardChallenges;
  /** Sends the new events of the acquirers. */
  readonly sendEvents: () => Promise<void>;
}

const path = '/sandbox/3ds/:token';
const longestForm = 1024;
const options = { schema: { hide: true }, config: { access: 'public' } } as const;

interface ByToken {
  Params: { token: string };
}

/**
 * Registers `/sandbox/3ds/:token`, the 3-D Secure page of the payer's bank. It has one stylesheet and no script. As
 * with a real bank's page, any site may frame it.
 */
export async function registerSandboxPages(app: FastifyInstance, deps: SandboxPagesDeps): Promise<void> {
  await app.register(async scope => {
    takeForms(scope);
    scope.get('/sandbox/3ds/style.css', options, (_, reply) =>
      reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600').send(threeDSecureStyle),
    );
    scope.get<ByToken>(path, options, async (request, reply) => {
      const { token } = request.params;
      const challenge = isToken(token) ? await deps.cards.findChallenge(token) : null;
      if (challenge === null) return protect(reply).code(404).send(unknownChallengePage());
      return protect(reply).send(challenge.state === 'open' ? challengePage(challenge) : decidedPage(challenge));
    });
    scope.post<ByToken>(path, options, async (request, reply) => {
      const { token } = request.params;
      const choice = choiceOf(request.body);
      if (isToken(token) && choice !== null) await deps.cards.answerChallenge(token, choice);
      await deps.sendEvents();
      // Redirects to the same page, so that a reload does not submit the form again.
      return protect(reply).code(303).header('location', token).send();
    });
  });
}

function takeForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: longestForm },
    (_, body, done) => done(null, new URLSearchParams(String(body))),
  );
}

function choiceOf(body: unknown): ChallengeChoice | null {
  const text = body instanceof URLSearchParams ? body.get('choice') : null;
  return challengeChoices.find(choice => choice === text) ?? null;
}

function isToken(text: string): boolean {
  return /^[0-9A-Za-z]{22}$/.test(text);
}

function protect(reply: FastifyReply): FastifyReply {
  return reply
    .removeHeader('x-frame-options')
    .headers({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *",
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8');
}
