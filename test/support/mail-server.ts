import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';

/** A mail that the server received: the envelope, the bytes, and the parsed mail. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly email: Email;
}

/** A real SMTP server that stores its mails. */
export interface MailServer {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  /** The answer to a recipient, or to a whole message. Null: accept. */
  refuse: { recipient: SmtpAnswer | null; message: SmtpAnswer | null };
  /** Called after a whole message and before the answer. `hangUp` closes only this connection. */
  onMessage: ((count: number, hangUp: () => void) => Promise<void>) | null;
  /** Called for each recipient, before the answer. */
  onRecipient: ((address: string, hangUp: () => void) => void) | null;
  /** Number of whole messages, including refused ones. */
  ended(): number;
  to(address: string): ReceivedMail[];
  /** Stops the server, even if connections are open. */
  close(): Promise<void>;
}

export interface SmtpAnswer {
  readonly code: number;
  readonly text: string;
}

export async function startMailServer(port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let ended = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onRcptTo: ({ address }, { remotePort }, callback) => {
      lab.onRecipient?.(address, () => hangUp(remotePort));
      callback(refusal(lab.refuse.recipient));
    },
    onData: (stream, session, callback) => {
      void takeMessage(stream, session).then(() => callback(refusal(lab.refuse.message)), callback);
    },
  });
  server.on('error', () => undefined);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function hangUp(remotePort: number) {
    for (const socket of sockets) if (socket.remotePort === remotePort) socket.destroy();
  }

  async function takeMessage(stream: SMTPServerDataStream, session: SMTPServerSession) {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    ended++;
    await lab.onMessage?.(ended, () => hangUp(session.remotePort));
    if (lab.refuse.message !== null) return;
    const raw = Buffer.concat(chunks);
    const { mailFrom, rcptTo } = session.envelope;
    received.push({
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      raw: raw.toString('utf8'),
      email: await PostalMime.parse(raw),
    });
  }

  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const lab: MailServer = {
    received,
    refuse: { recipient: null, message: null },
    onMessage: null,
    onRecipient: null,
    port: (server.server.address() as AddressInfo).port,
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    ended: () => ended,
    to: address => received.filter(mail => mail.to.includes(address)),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return lab;
}

function refusal(answer: SmtpAnswer | null): Error | null {
  return answer && Object.assign(new Error(answer.text), { responseCode: answer.code });
}
