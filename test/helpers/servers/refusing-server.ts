import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface RefusingServerOptions {
  /** Number of connections that are answered as by a server that starts. */
  readonly startsFor?: number
  /** If true, the login succeeds and the error follows in the same packet. */
  readonly accepts?: boolean
}

const ACCEPTED = Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0, ...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')])

/** Returns the URL of a server that answers every login with a PostgreSQL error of this SQLSTATE. It closes when the test ends. */
export async function startRefusingServer(
  sqlstate: string,
  message: string,
  { startsFor = 0, accepts = false }: RefusingServerOptions = {},
): Promise<string> {
  let connections = 0
  const answer = () =>
    ++connections > startsFor ? errorMessage(sqlstate, message) : errorMessage('57P03', 'the database system is starting up')
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(accepts ? Buffer.concat([ACCEPTED, answer()]) : answer()))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `postgres://fix:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/city`
}

function errorMessage(sqlstate: string, message: string): Buffer {
  const fields = Object.entries({ S: 'FATAL', V: 'FATAL', C: sqlstate, M: message }).map(([key, value]) => `${key}${value}\0`)
  const body = Buffer.from(`${fields.join('')}\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
