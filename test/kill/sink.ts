import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

import type { Chance } from '../../prisma/seeds/chance.ts'

export interface Arrival {
  readonly messageId: string
  readonly to: string
  /** Which process sent it. */
  readonly from: string
  readonly at: number
  /** Whether the 250 was written to the connection, which the sender may not have lived to read. */
  readonly acknowledged: boolean
}

/** How often a mail is refused for now, and how often the connection ends after the mail has been read and before the 250. */
const MOODS = { later: 0.03, cut: 0.02 } as const

/**
 * A real SMTP server that counts what arrives. It has its moods until `calm`. Who sends logs in by its name and needs no password, so that
 * of each mail it is known which process sent it.
 */
export async function openSink(chance: Chance) {
  const arrivals: Arrival[] = []
  const counts = { later: 0, cut: 0 }
  let isCalm = false
  const moodOf = (): 'later' | 'cut' | 'kind' => {
    const drawn = isCalm ? 1 : chance.next()
    return drawn < MOODS.later ? 'later' : drawn < MOODS.later + MOODS.cut ? 'cut' : 'kind'
  }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 100,
    onAuth: ({ username }, _session, done) => done(null, { user: username ?? '' }),
    onData(stream, session, done) {
      text(stream).then(
        (raw) => {
          const mood = moodOf()
          if (mood !== 'kind') counts[mood] += 1
          if (mood === 'later') return done(Object.assign(new Error('come back later'), { responseCode: 451 }))
          arrivals.push(...arrivalsOf(raw, session, mood === 'kind'))
          if (mood === 'kind') return done()
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

function arrivalsOf(raw: string, { envelope, user }: SMTPServerSession, acknowledged: boolean): Arrival[] {
  const messageId = /^Message-ID:\s*<([^>]+)>/im.exec(raw)?.[1] ?? ''
  const at = Date.now()
  return envelope.rcptTo.map(({ address }) => ({ messageId, to: address, from: String(user ?? ''), at, acknowledged }))
}
