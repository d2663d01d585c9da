import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

export interface Received {
  readonly to: readonly string[]
  readonly raw: string
}

/** What the server says to one mail; undefined is 250, and a promise that never ends is silence. */
export type Answer = { readonly code: number; readonly text: string } | undefined

export interface SinkOptions {
  /** Whether it asks for a login, which nobody has. */
  readonly closed?: boolean
  /** To MAIL FROM. */
  readonly sender?: () => Answer
  /** To RCPT TO, asked anew for each mail. */
  readonly recipient?: () => Answer
  /** To the whole mail, after it is read. */
  readonly mail?: () => Answer | Promise<Answer>
}

/** A real SMTP server that keeps what it takes; it ends with the test. */
export async function smtpSink({
  closed = false,
  sender = () => undefined,
  recipient = () => undefined,
  mail = () => undefined,
}: SinkOptions = {}) {
  const received: Received[] = []
  let connections = 0
  const errorOf = (answer: Answer) => answer && Object.assign(new Error(answer.text), { responseCode: answer.code })
  const server = new SMTPServer({
    disabledCommands: closed ? ['STARTTLS'] : ['AUTH', 'STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(errorOf({ code: 535, text: 'wrong password' })),
    closeTimeout: 100,
    onConnect: (_session, done) => {
      connections++
      done()
    },
    onMailFrom: (_address, _session, done) => done(errorOf(sender())),
    onRcptTo: (_address, _session, done) => done(errorOf(recipient())),
    onData(stream, { envelope }, done) {
      const take = async () => {
        const raw = await text(stream)
        const answer = await mail()
        // What is answered with 250 is taken, whether the sender learns it or not.
        if (!answer) received.push({ to: envelope.rcptTo.map(({ address }) => address), raw })
        done(errorOf(answer))
      }
      // A sender that goes away in the midst of it is answered by nobody.
      take().catch(() => undefined)
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())))
  return { received, connections: () => connections, url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` }
}
