import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly to: readonly string[]
  readonly raw: string
}

/** The reply to a mail: undefined is 250, and a pending promise keeps the server silent. */
export type Answer = { readonly code: number; readonly text: string } | undefined

export interface SmtpServerOptions {
  /** Rejects every login. */
  readonly closed?: boolean
  /** Reply to MAIL FROM. */
  readonly sender?: () => Answer
  /** Reply to RCPT TO. */
  readonly recipient?: () => Answer
  /** Reply to DATA, after the mail is read. */
  readonly mail?: () => Answer | Promise<Answer>
}

/** Starts an SMTP server that stores accepted mails; it stops with the test. */
export async function startSmtpServer({
  closed = false,
  sender = () => undefined,
  recipient = () => undefined,
  mail = () => undefined,
}: SmtpServerOptions = {}) {
  const received: Received[] = []
  let connections = 0
  const toSmtpError = (answer: Answer) => answer && Object.assign(new Error(answer.text), { responseCode: answer.code })
  const server = new SMTPServer({
    disabledCommands: closed ? ['STARTTLS'] : ['AUTH', 'STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(toSmtpError({ code: 535, text: 'wrong password' })),
    closeTimeout: 100,
    onConnect: (_session, done) => {
      connections++
      done()
    },
    onMailFrom: (_address, _session, done) => done(toSmtpError(sender())),
    onRcptTo: (_address, _session, done) => done(toSmtpError(recipient())),
    onData(stream, { envelope }, done) {
      const receive = async () => {
        const raw = await text(stream)
        const answer = await mail()
        // A mail counts as accepted even if the sender misses the 250.
        if (!answer) received.push({ to: envelope.rcptTo.map(({ address }) => address), raw })
        done(toSmtpError(answer))
      }
      // A sender that disconnects needs no reply.
      receive().catch(() => undefined)
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
  return { received, connections: () => connections, url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` }
}
