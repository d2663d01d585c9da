import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/*
 * A process of its own, begun by `fork`: a real SMTP server that takes everything, so that it does not share the event loop of whoever
 * measures. It says its port, and then ten times a second how many mails came and when the last one did.
 */
export type SinkNews = { readonly port: number } | { readonly mails: number; readonly addresses: number; readonly last_at: number }

const EVERY_MS = 100

const addresses = new Set<string>()
let mails = 0
let last_at = 0
const tell = (news: SinkNews) => void process.send?.(news)

const server = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  closeTimeout: 100,
  onData(stream, { envelope }, done) {
    stream.on('end', () => {
      for (const { address } of envelope.rcptTo) addresses.add(address)
      mails += 1
      last_at = Date.now()
      done()
    })
    stream.resume()
  },
})
server.on('error', () => undefined)
server.listen(0, '127.0.0.1', () => {
  tell({ port: (server.server.address() as AddressInfo).port })
  setInterval(() => tell({ mails, addresses: addresses.size, last_at }), EVERY_MS)
})
process.once('disconnect', () => process.exit())
