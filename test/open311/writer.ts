import type { TestUser } from '../helpers/factories.ts'
import { GREEN } from '../helpers/factories.ts'
import type { Client } from '../helpers/client.ts'
import { V2 } from './reader.ts'

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
export const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` })

/** The required fields of a service request for the type `other`. */
export const hole = { service_code: 'other', lat: String(GREEN.lat), long: String(GREEN.lng), description: 'Deep hole' }

export interface WriteOptions {
  readonly by?: TestUser
  readonly headers?: Record<string, string>
}

/** Returns functions that write below `/open311/v2`: as a form, and as multipart/form-data with files. */
export function createWriter(client: () => Client) {
  const send = (path: string, body: unknown, { by, headers = {} }: WriteOptions = {}) =>
    client().send('POST', `${V2}${path}`, { body, headers: { ...(by ? bearer(by) : {}), ...headers } })

  const post = (path: string, fields: Readonly<Record<string, string>>, { headers = {}, ...options }: WriteOptions = {}) =>
    send(path, new URLSearchParams(fields).toString(), { ...options, headers: { ...FORM, ...headers } })

  const postMultipart = async (path: string, fields: readonly (readonly [string, string | File])[], options: WriteOptions = {}) => {
    const form = new FormData()
    for (const [name, value] of fields) form.append(name, value)
    const request = new Request('http://fixpoint.test', { method: 'POST', body: form })
    const type = { 'content-type': request.headers.get('content-type') ?? '' }
    return send(path, Buffer.from(await request.arrayBuffer()), { ...options, headers: { ...type, ...options.headers } })
  }
  return { send, post, postMultipart }
}

/** A PNG of one pixel. */
export const picture = (name = 'hole.png') =>
  new File(
    [Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')],
    name,
    { type: 'image/png' },
  )
