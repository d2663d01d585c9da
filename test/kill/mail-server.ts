import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

import type { Random } from '../../prisma/seeds/random.ts'

export interface Arrival {
  readonly messageId: string
  readonly to: string
  /** Name of the process that sent the mail. */
  readonly from: string
  readonly at: number
  /** True if the 250 was written to the connection; the sender may have died before it read the 250. */
  readonly acknowledged: boolean
}

/** The probability of a temporary refusal, and of a closed connection between the mail and its 250. */
const FAILURE_RATES = { later: 0.03, cut: 0.02 } as const

/** Starts an SMTP server that causes errors until `calm`. Each process logs in with its name, which tells the sender of a mail. */
export async function openSink(random: Random) {
  const arrivals: Arrival[] = []
  const counts = { later: 0, cut: 0 }
  let isCalm = false
  const pickFailure = (): 'later' | 'cut' | 'none' => {
    const drawn = isCalm ? 1 : random.next()
    return drawn < FAILURE_RATES.later ? 'later' : drawn < FAILURE_RATES.later + FAILURE_RATES.cut ? 'cut' : 'none'
  }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? '' }),
    onData(stream, session, done) {
      text(stream).then(
        (raw) => {
          const failure = pickFailure()
          if (failure !== 'none') counts[failure] += 1
          if (failure === 'later') return done(Object.assign(new Error('try again later'), { responseCode: 451 }))
          arrivals.push(...toArrivals(raw, session, failure === 'none'))
          if (failure === 'none') return done()
          for (const connection of server.connections) if (connection.session.id === session.id) connection._socket.destroy()
        },
        () => undefined,
      )
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.server.address() as AddressInfo
  return {
    arrivals,
    counts,
    urlFor: (name: string) => `smtp://${name}:any@127.0.0.1:${port}`,
    calm: () => void (isCalm = true),
    close: () => new Promise<void>((closed) => server.close(() => closed())),
  }
}

export type Sink = Awaited<ReturnType<typeof openSink>>

function toArrivals(raw: string, { envelope, user }: SMTPServerSession, acknowledged: boolean): Arrival[] {
  const messageId = /^Message-ID:\s*<([^>]+)>/im.exec(raw)?.[1] ?? ''
  const at = Date.now()
  return envelope.rcptTo.map(({ address }) => ({ messageId, to: address, from: String(user ?? ''), at, acknowledged }))
}
