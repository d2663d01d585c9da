import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { parseWalPosition } from '../../src/database/replicas.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp({ keepRows: true })
const anyLsn = fc
  .tuple(fc.nat(2 ** 31 - 1), fc.nat({ max: 0xffffffff }))
  .map((parts) => parts.map((part) => part.toString(16)).join('/'))

describe('parseWalPosition', () => {
  it('returns the same number of bytes as PostgreSQL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyLsn, { minLength: 1, maxLength: 50 }), async (lsns) => {
        const rows = await queryRows<{ bytes: string }>(
          app.db,
          sql`
        SELECT (l.lsn::pg_lsn - '0/0'::pg_lsn)::text AS bytes FROM unnest(${lsns}::text[]) WITH ORDINALITY l (lsn, n) ORDER BY l.n`,
        )

        expect(lsns.map(parseWalPosition)).toEqual(rows.map(({ bytes }) => BigInt(bytes)))
      }),
      runs(20),
    )
  })

  it('returns numbers that sort correctly, unlike their texts', () => {
    expect(parseWalPosition('9/0') < parseWalPosition('10/0')).toBe(true)
    expect(parseWalPosition('0/FFFFFFFF') + 1n).toBe(parseWalPosition('1/0'))
  })

  it.each(['', '0', '/0', '0/', '0/G', '0/123456789', '0x1/0', '1/0 '])('throws an error for %j', (text) => {
    expect(() => parseWalPosition(text)).toThrow('is not a pg_lsn')
  })
})
