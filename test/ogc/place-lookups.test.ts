import { describe, expect, it } from 'vitest'

import type { Query, Sql } from '../../src/database/database.ts'
import { createPlaceNames } from '../../src/issues/records/columns.ts'
import { issueCollection } from '../../src/ogc/collections/issues.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()

/** Returns a reader of the real database and the statements that it runs. */
function createRecordingReader() {
  const statements: Sql[] = []
  const query: Query = (statement) => {
    statements.push(statement)
    return app.db.query(statement)
  }
  return { reader: { query }, statements }
}

describe('items of issues', () => {
  it.each([
    ['id,status', false],
    ['id,place_url_name', true],
    [undefined, true],
  ])('looks up places only for place_url_name: %s', async (names, looksUp) => {
    await app.create.place({ url_name: 'new-haven', around: GREEN })
    await app.create.issue({ at: GREEN })
    const { reader, statements } = createRecordingReader()
    const context = { reader, viewer: null, urls: app.services.urls, withPlaceNames: createPlaceNames() }
    const properties = names?.split(',')
    const order = { keys: [], id: issueCollection.idColumn }

    const selection = {
      filter: undefined,
      box: undefined,
      conditions: [],
      isCostly: false,
      order,
      position: undefined,
      offset: 0,
      limit: 10,
      properties,
    }

    await issueCollection.readItems(context, selection)
    await issueCollection.readFeatureTexts?.(context, selection)

    expect(statements.some(({ sql }) => /\bplaces\b/.test(sql))).toBe(looksUp)
  })
})
