import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/* An SMTP server in a separate process, which does not share the event loop of the benchmark. It sends its port, then counts every 100 ms. */
export type SinkMessage =
  | { readonly port: number }
  | { readonly mails: number; readonly addresses: number; readonly last_at: number }

const EVERY_MS = 100

const addresses = new Set<string>()
let mails = 0
let last_at = 0
const report = (message: SinkMessage) => void process.send?.(message)

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
  report({ port: (server.server.address() as AddressInfo).port })
  setInterval(() => report({ mails, addresses: addresses.size, last_at }), EVERY_MS)
})
process.once('disconnect', () => process.exit())
