import { describe, expect, it } from 'vitest'

import { useApp } from '../../helpers/use-app.ts'

const app = useApp({ keepRows: true })

const JSON_TYPE = 'application/json; charset=utf-8'
const CSV_TYPE = 'text/csv; charset=utf-8'
const GEOJSON_TYPE = 'application/geo+json; charset=utf-8'

describe('the content type of GET /issues for an Accept header', () => {
  it.each([
    ['text/csv; header=present', CSV_TYPE],
    ['text/csv;header=present;charset="utf-8"', CSV_TYPE],
    ['text/csv ; header = absent ; q=0.9, application/json;q=0.5', CSV_TYPE],
    ['text/csv;header=present;q=0.5, application/json;version=1', JSON_TYPE],
    ['application/geo+json;profile="a;q=0.1,b", text/csv;q=0.9', GEOJSON_TYPE],
    ['text/csv;q=0;header=present, application/json;q=0.1', JSON_TYPE],
    ['application/geo+json;q=1;extension', GEOJSON_TYPE],
    ['text/html; level=1', JSON_TYPE],
    [`text/csv;${'parameter=value;'.repeat(40)}q=1`, CSV_TYPE],
  ])('%s is %s', async (accept, type) => {
    const { headers } = await app.as.anonymous.get('/issues', { accept })

    expect(headers['content-type']).toBe(type)
  })
})
