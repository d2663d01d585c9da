import type { FastifyInstance } from 'fastify'
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto'

import type { Database } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { findSigningKey } from '../../http/identity/signing-keys.ts'
import { findModerationState } from '../../issues/single-issue.ts'
import type { Services } from '../../services.ts'
import { withoutSuffix, sendDocument } from '../formats/send.ts'
import { knownParameters, readParameters } from '../input/body.ts'
import { findJurisdiction, roots } from '../input/jurisdiction.ts'

const KEY_NAME = 'open311-tokens'
/** AES Key Wrap (RFC 3394) with its default initial value encrypts and authenticates, and gives a value the same result each time. */
const CIPHER = 'aes256-wrap'
const INITIAL_VALUE = Buffer.alloc(8, 0xa6)
const BYTES = 16

/**
 * Tokens of reports that wait for approval, whose ids stay unknown until they are public: a token is the encrypted id. All processes share
 * the key.
 */
export function createReportTokens(db: Database) {
  let key: Promise<Buffer> | undefined
  const findKey = () => {
    key ??= findSigningKey(db, KEY_NAME)
      .then((secret) => createHash('sha256').update(secret).digest())
      .catch((error: unknown) => {
        key = undefined
        throw error
      })
    return key
  }
  return {
    async create(issueId: number) {
      const id = Buffer.alloc(BYTES)
      id.writeUInt32BE(issueId)
      const cipher = createCipheriv(CIPHER, await findKey(), INITIAL_VALUE)
      return Buffer.concat([cipher.update(id), cipher.final()]).toString('base64url')
    },
    /** Returns the id of the issue, undefined for a token that `create` has not made. */
    async read(token: string) {
      if (!/^[\w-]{32}$/.test(token)) return undefined
      return decrypt(Buffer.from(token, 'base64url'), await findKey())
    },
  }
}

function decrypt(token: Buffer, key: Buffer): number | undefined {
  const decipher = createDecipheriv(CIPHER, key, INITIAL_VALUE)
  try {
    return Buffer.concat([decipher.update(token), decipher.final()]).readUInt32BE()
  } catch {
    return undefined
  }
}

const options = { config: knownParameters([]) }

/** GET the service_request_id of a token: null until the report is approved, and 404 once it is rejected or deleted. */
export function addTokenRoutes(app: FastifyInstance, { db }: Services): void {
  const tokens = createReportTokens(db)

  for (const root of roots) {
    app.get<{ Params: { token: string } }>(`${root}/tokens/:token`, options, async (request, reply) => {
      await findJurisdiction(db.reader, request, readParameters(request))
      const token = withoutSuffix(request.params.token)
      const id = await tokens.read(token)
      const state = id === undefined ? undefined : await findModerationState(db, id)
      if (id === undefined || state === undefined || state === 'rejected') throw problems.notFound('the_token')
      const service_request_id = state === 'passed' ? String(id) : null
      return sendDocument(request, reply, { root: 'service_requests', value: [{ service_request_id, token }] })
    })
  }
}
