import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'

import { useApp } from '../../helpers/use-app.ts'

const app = useApp({ keepRows: true, ownApp: true })
beforeAll(() => app.fastify.listen({ port: 0, host: '127.0.0.1' }))

/** Returns the response, after which the service closes the connection. */
function send(request: string): Promise<string> {
  const socket = connect((app.fastify.server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(request)
  return text(socket)
}

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as Record<string, string>

it('invalid HTTP is answered as a problem', async () => {
  const answers = await Promise.all([
    send('HELLO\r\n\r\n'),
    send(`GET /api/v2/issues HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`),
  ])

  expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual([
    'HTTP/1.1 400 Bad Request',
    'HTTP/1.1 431 Request Header Fields Too Large',
  ])
  expect(answers.map((answer) => bodyOf(answer)['message'])).toEqual([
    'This is not an HTTP request.',
    'The URL and the headers are too long.',
  ])
  const ids = answers.map((answer) => /X-Request-Id: ([0-9a-f]{16})/.exec(answer)?.[1])
  expect(answers.map((answer) => bodyOf(answer)['request_id'])).toEqual(ids)
})

it.each([
  ['two Host headers', 'Host: x\r\nHost: x\r\n'],
  ['two Host headers in other cases', 'Host: x\r\nhost: y\r\n'],
  ['no Host header', ''],
])('%s are 400 on every path', async (_what, hosts) => {
  const paths = ['/api/v2/issues', '/', '/health/live', '/nowhere', '/files/1/full.jpg']

  const answers = await Promise.all(
    paths.map((path) => send(`GET ${path} HTTP/1.1\r\n${hosts}User-Agent: t\r\nConnection: close\r\n\r\n`)),
  )

  expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual(paths.map(() => 'HTTP/1.1 400 Bad Request'))
})
