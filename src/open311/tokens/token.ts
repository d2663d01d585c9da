import { createHmac, timingSafeEqual } from 'node:crypto'

import type { Database } from '../../database/database.ts'
import { findSigningKey } from '../../http/identity/signing-keys.ts'
import { isId } from '../input/parameters.ts'

const KEY_NAME = 'open311-tokens'
const MAC_LENGTH = 22

export interface ReportTokens {
  create(issueId: number): Promise<string>
  /** Returns the id of the issue, undefined for a token that `create` has not made. */
  read(token: string): Promise<number | undefined>
}

/**
 * Tokens of reports that wait for approval, whose ids stay unknown until they are public. A token is signed, because it must
 * not reveal which other ids are waiting. All processes share the key.
 */
export function createReportTokens(db: Database): ReportTokens {
  let key: Promise<string> | undefined
  const sign = async (id: string) => {
    key ??= findSigningKey(db, KEY_NAME).catch((error: unknown) => {
      key = undefined
      throw error
    })
    return createHmac('sha256', await key)
      .update(id)
      .digest('base64url')
      .slice(0, MAC_LENGTH)
  }
  return {
    create: async (issueId) => `${issueId}-${await sign(String(issueId))}`,
    async read(token) {
      const [, id = '', mac = ''] = /^(\d{1,10})-([\w-]{22})$/.exec(token) ?? []
      if (!isId(id)) return undefined
      return timingSafeEqual(Buffer.from(mac), Buffer.from(await sign(id))) ? Number(id) : undefined
    },
  }
}
