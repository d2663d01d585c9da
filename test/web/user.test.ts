import { beforeEach, describe, expect, it } from 'vitest'

import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

describe('GET /users/:id', () => {
  const app = useApp()
  let ada: TestUser

  beforeEach(async () => {
    const organization = await app.create.organization()
    ada = await app.create.user({ name: 'Ada <Park>', civic_points: 1234, memberOf: [{ organization }], share_location: true })
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { created_at: new Date('2026-01-02T00:00:00Z') } })
    await app.create.issue({ reporter: ada, summary: 'Not on this page' })
    await app.create.issue({ reporter: ada, anonymous: true })
  })

  const read = (language: string) => app.as.anonymous.send('GET', `/users/${ada.id}`, { headers: { 'accept-language': language } })
  const factsOn = (page: string) =>
    [...page.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, value]) => [name, value?.replaceAll(/<[^>]*>/g, '')])

  it('shows the fields of the API response, and is not indexed by search engines', async () => {
    const { status, text } = await read('en')

    expect(status).toBe(200)
    expect(text).toContain('<h1>Ada &lt;Park&gt;</h1>')
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(factsOn(text).slice(0, 8)).toEqual([
      ['Civic points', '1,234'],
      ['Issues reported', '1'],
      ['Issues closed', '0'],
      ['Comments', '0'],
      ['Issues followed', '0'],
      ['Votes', '0'],
      ['May acknowledge issues', 'Yes'],
      ['Member since', 'Jan 2, 2026'],
    ])
    expect(text).not.toContain(ada.email)
    expect(text).not.toContain('Not on this page')
  })

  it.each([
    ['es-MX', 'es', 'Reportes enviados', '2 ene 2026'],
    ['fr', 'fr', 'Signalements envoyés', '2 janv. 2026'],
  ])('uses the language of the caller: %s', async (accepted, language, reported, since) => {
    const { text } = await read(accepted)

    expect(text).toContain(`<html lang="${language}">`)
    expect(factsOn(text)[1]).toEqual([reported, '1'])
    expect(factsOn(text)[7]?.[1]).toBe(since)
  })

  it('is the html_url of the user, and anonymous reporters have none', async () => {
    const { body } = await app.as.anonymous.get(`/users/${ada.id}`)
    const { issues } = (await app.as.anonymous.get('/issues?sort_direction=ASC')).body as {
      issues: { reporter: { html_url: string | null } }[]
    }

    expect(body).toMatchObject({ html_url: `http://fixpoint.test/users/${ada.id}` })
    expect(issues.map(({ reporter }) => reporter.html_url)).toEqual([`http://fixpoint.test/users/${ada.id}`, null])
  })

  it.each(['0', '999', 'ada', '2147483648'])('returns 404 for %s', async (id) => {
    expect((await app.as.anonymous.send('GET', `/users/${id}`)).status).toBe(404)
  })
})
