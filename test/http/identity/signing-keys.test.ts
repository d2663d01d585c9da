import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { findSigningKey } from '../../../src/http/identity/signing-keys.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()

describe('findSigningKey', () => {
  it('creates a key that is missing after a restore, and returns the same key afterwards', async () => {
    const before = await findSigningKey(app.db, 'trusted devices')
    await app.db.execute(sql`DELETE FROM signing_keys k RETURNING k.name`)

    const after = [await findSigningKey(app.db, 'trusted devices'), await findSigningKey(app.db, 'trusted devices')]

    expect(after[0]).toMatch(/^[\w-]{43}$/)
    expect(after[0]).not.toBe(before)
    expect(after[1]).toBe(after[0])
  })
})
