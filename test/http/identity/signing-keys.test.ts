import { expect, test } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { findSigningKey } from '../../../src/http/identity/signing-keys.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()

test('a signing key that a restored dump left out is made anew, once', async () => {
  const before = await findSigningKey(app.db, 'familiar clients')
  await app.db.execute(sql`DELETE FROM signing_keys k RETURNING k.name`)

  const after = [await findSigningKey(app.db, 'familiar clients'), await findSigningKey(app.db, 'familiar clients')]

  expect(after[0]).toMatch(/^[\w-]{43}$/)
  expect(after[0]).not.toBe(before)
  expect(after[1]).toBe(after[0])
})
