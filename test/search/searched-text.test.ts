import { expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

it('the searched text has a blank for each ASCII character of punctuation, and keeps all other characters', async () => {
  const changed = await queryRows<{ character: string; text: string }>(
    app.db,
    sql`
    SELECT chr(n) AS character, trim(search_text('a' || chr(n) || 'é', NULL, NULL)) AS text FROM generate_series(1, 1000) n
    WHERE trim(search_text('a' || chr(n) || 'é', NULL, NULL)) <> 'a' || chr(n) || 'é'
    ORDER BY n`,
  )

  expect(changed.map(({ character }) => character).join('')).toBe('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~')
  expect(new Set(changed.map(({ text }) => text))).toEqual(new Set(['a é']))
})
