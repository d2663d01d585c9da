import { describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { listFields } from '../../../src/web/open-data/data-page.ts'
import { datasets } from '../../../src/web/open-data/selection.ts'

const app = useApp()

describe('the data dictionary', () => {
  it.each(datasets)('has a meaning and an example of every column of %s', (dataset) => {
    const incomplete = listFields(dataset).filter(({ meaning, example }) => meaning === '' || example === '')

    expect(incomplete.map(({ name }) => name)).toEqual([])
  })

  it('shows all columns with their units and values', async () => {
    const { text, visibleText } = await createBrowser(app.fastify).get('/data/dictionary')

    const names = datasets.flatMap((dataset) => listFields(dataset).map(({ name }) => `<code>${name}</code>`))
    expect(names.filter((name) => !text.includes(name))).toEqual([])
    expect(visibleText).toContain('Number, m²')
    expect(text).toContain('<code>Open, Acknowledged, Closed, Archived</code>')
  })

  it('is a Data Package whose tables have the columns of the CSV files', async () => {
    await app.create.issue()

    const { body } = await app.as.anonymous.send('GET', '/data/dictionary.json')
    const csv = await app.as.anonymous.send('GET', '/exports/issues.csv')

    const [issues] = (body as { resources: { path: string; schema: { fields: { name: string }[] } }[] }).resources
    expect(issues?.path).toBe('http://fixpoint.test/exports/issues.csv')
    expect([...(issues?.schema.fields.map(({ name }) => name) ?? []), 'lng', 'lat']).toEqual(csv.text.split(/\r?\n/)[0]?.split(','))
  })
})
