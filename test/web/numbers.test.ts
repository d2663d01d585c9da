import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const app = useApp()
const page = (path: string) => app.as.anonymous.send('GET', path)

interface Group {
  readonly created_at: string
  readonly closed_at?: string
  readonly status?: 'Closed'
  readonly request_type?: number
}

async function createIssues(count: number, group: Group): Promise<void> {
  for (let n = 1; n <= count; n++) await app.create.issue({ summary: `Lamp ${n}`, at: GREEN, ...group })
}

const cells = (text: string) => [...text.matchAll(/<td class="number">([^<]*)</g)].map(([, cell]) => cell)
const keyNumbers = (text: string) =>
  [...text.matchAll(/<dt>([^<]*)<\/dt><dd><b>([^<]*)<\/b>/g)].map(([, name, value]) => [name, value])

describe('GET /places/:url_name/numbers', () => {
  it('shows the numbers of a period as text, as a chart and as its table, and the oldest open issues', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await createIssues(6, { created_at: '2026-01-05T00:00:00Z' })
    await createIssues(5, { created_at: '2026-02-05T00:00:00Z', closed_at: '2026-02-06T00:00:00Z', status: 'Closed' })
    const oldest = await app.db.prisma.issue.findFirstOrThrow({ orderBy: [{ created_at: 'asc' }, { id: 'asc' }] })

    const { status, text } = await page('/places/new-haven/numbers?from=2025-12-01&until=2026-07-31')

    expect(status).toBe(200)
    expect(text).toContain('<h1>New Haven in numbers</h1>')
    expect(text).toContain('From December 1, 2025 to July 31, 2026')
    expect(keyNumbers(text).slice(0, 5)).toEqual([
      ['Reported', '11'],
      ['Acknowledged', '0'],
      ['Closed', '5'],
      ['Opened again', '0'],
      ['Open at the end', '6'],
    ])
    expect(text).toContain('<dt>Half are closed within</dt><dd><b>1 day</b></dd>')
    expect(text).toMatch(
      /<svg class="chart" viewBox="[\d ]+" role="img" aria-labelledby="chart-title chart-description">\s*<title id="chart-title">/,
    )
    expect(text.match(/<rect class="reported"/g)).toHaveLength(8)
    expect(cells(text).slice(0, 9)).toEqual(['0', '0', '0', '6', '0', '6', '5', '5', '6'])
    expect(text).toContain(`<a href="/issues/${oldest.id}">Lamp 1</a>`)
    expect(text).not.toContain('style="')
    expect(text).not.toContain('GET /')
  })

  it('shows how issues were closed', async () => {
    await app.create.place({ url_name: 'new-haven' })
    await createIssues(11, { created_at: '2026-01-05T00:00:00Z', closed_at: '2026-01-06T00:00:00Z', status: 'Closed' })
    await app.db.prisma.issue.updateMany({ data: { outcome: 'not_ours' } })

    const { text } = await page('/places/new-haven/numbers?from=2026-01-01&until=2026-01-31')

    expect(text).toContain('<li>not our task <b>11</b></li>')
  })

  it('marks numbers that are left out', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await createIssues(3, { created_at: '2026-01-05T00:00:00Z' })

    const { text } = await page('/places/new-haven/numbers?from=2026-01-01&until=2026-01-31')

    expect(keyNumbers(text)[0]).toEqual(['Reported', '–'])
    expect(text).toContain('means that a number is left out')
    expect(text).toContain('<rect class="reported left-out"')
  })

  it('has the last twelve months at its canonical address, and another period at no canonical address', async () => {
    await app.create.place({ url_name: 'new-haven' })

    const [all, chosen] = [await page('/places/new-haven/numbers'), await page('/places/new-haven/numbers?from=2026-01-01')]

    expect(all.text).toContain(`<link rel="canonical" href="${PUBLIC_URL}/places/new-haven/numbers"`)
    expect(chosen.text).not.toContain('rel="canonical"')
  })

  it('sends the numbers as CSV', async () => {
    await app.create.place({ url_name: 'new-haven' })
    await createIssues(6, { created_at: '2026-01-05T00:00:00Z' })

    const { headers, text } = await page('/places/new-haven/numbers?from=2026-01-01&until=2026-01-31&format=csv')

    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    expect(text).toContain('\r\ntotal,2026-01-01,2026-01-31,,,,0,6,6,')
  })

  it.each([
    ['/places/atlantis/numbers', 404],
    ['/organizations/999', 404],
    ['/places/new-haven/numbers?from=2026-02-30', 422],
    ['/places/new-haven/numbers?from=2026-02-01&until=2026-01-01&format=csv', 422],
  ])('%s is %i', async (path, status) => {
    await app.create.place({ url_name: 'new-haven' })

    expect((await page(path)).status).toBe(status)
  })

  it('says which formats there are', async () => {
    await app.create.place({ url_name: 'new-haven' })

    const { status, text } = await page('/places/new-haven/numbers?format=xml')

    expect(status).toBe(422)
    expect(text).toContain('Format must be one of csv')
  })

  it('returns the form with the error at its field for a period that ends before it begins', async () => {
    await app.create.place({ url_name: 'new-haven' })

    const { status, text } = await page('/places/new-haven/numbers?from=2026-02-01&until=2026-01-01')

    expect(status).toBe(422)
    expect(text).toContain('<a href="#field-from">')
    expect(text).toMatch(/id="field-from-error">[^<]*2026-01-01/)
    expect(text).toContain('value="2026-02-01"')
  })

  it.each(['/places/new-haven/numbers', '/organizations/1'])(
    'returns the form of %s for a date that does not exist',
    async (path) => {
      await app.create.place({ url_name: 'new-haven' })
      await app.create.organization({ name: 'Roads' })

      const { status, text } = await page(`${path}?from=2026-02-30&until=2026-03-01`)

      expect(status).toBe(422)
      expect(text).toContain(`<form class="period" action="${path}">`)
      expect(text).toMatch(/id="field-from-error">Must be a date such as 2026-01-31/)
      expect(text).toContain('value="2026-03-01"')
    },
  )
})

describe('GET /organizations/:id', () => {
  it('shows the numbers of the organisation by kind of problem, and is linked from its issues', async () => {
    const organization = await app.create.organization({ name: 'Roads' })
    const request_type = await app.create.requestType({ title: 'Pothole', organization })
    await createIssues(6, { created_at: '2026-01-05T00:00:00Z', request_type })
    await createIssues(7, { created_at: '2026-01-05T00:00:00Z' })
    const { id } = await app.db.prisma.issue.findFirstOrThrow({ where: { request_type_id: request_type } })

    const { status, text } = await page(`/organizations/${organization}?from=2026-01-01&until=2026-01-31`)

    expect(status).toBe(200)
    expect(text).toContain('<h1>Roads</h1>')
    expect(keyNumbers(text)[0]).toEqual(['Reported', '6'])
    expect(text).toContain('<tr><th scope="row">Pothole</th><td class="number">6</td>')
    expect((await page(`/issues/${id}`)).text).toContain(`<a href="/organizations/${organization}">Roads</a>`)
  })

  it('has the name in the language of the page, or marks the other language', async () => {
    const organization = await app.create.organization({ name: 'Roads' })
    await app.db.prisma.organization.update({ where: { id: organization }, data: { translations: { es: { name: 'Calles' } } } })
    const inLanguage = (language: string) =>
      app.as.anonymous.send('GET', `/organizations/${organization}`, { headers: { 'accept-language': language } })

    expect((await inLanguage('es')).text).toContain('<h1>Calles</h1>')
    expect((await inLanguage('fr')).text).toContain('<h1><span lang="en">Roads</span></h1>')
  })
})

it('is linked from the page of the place, which shows how fast issues are solved there, with a chart', async () => {
  await app.create.place({ name: 'New Haven', url_name: 'new-haven' })

  const { text } = await page('/places/new-haven')

  expect(text).toContain('<h2 id="speed">How fast are issues solved here?</h2>')
  expect(text).toContain('<svg class="chart"')
  expect(text).toContain('<a href="/places/new-haven/numbers">New Haven in numbers</a>')
})
