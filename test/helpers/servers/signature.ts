import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/* AWS Signature Version 4, implemented from its documentation, so that it checks the client's signatures independently. */

/** Returns true if the request without its body is signed with this secret. */
export function isSignedWith(secret: string, { method = '', url = '', headers }: IncomingMessage): boolean {
  const [, credential = '', signed = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(headers.authorization ?? '') ?? []
  const [, ...scope] = credential.split('/')
  const { pathname, searchParams } = new URL(url, 'http://any')
  const request = [
    method,
    pathname,
    [...searchParams]
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .sort()
      .join('&'),
    ...signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    String(headers['x-amz-content-sha256']),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope.join('/'), createHash('sha256').update(request).digest('hex')]
  const key = scope.reduce((parent: string | Buffer, part) => hmac(parent, part).digest(), `AWS4${secret}`)
  return signature !== '' && hmac(key, toSign.join('\n')).digest('hex') === signature
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)
