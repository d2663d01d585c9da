import { describe, expect, it } from 'vitest'

import { createReportTokens } from '../../src/open311/tokens/routes.ts'
import { createPersonaRows, personas, PRIVATE_ANSWER } from '../contract/personas/persona-rows.ts'
import { useApp } from '../helpers/use-app.ts'
import { listReadRoutes } from './routes.ts'

// An app caches the key that signs tokens, which other files delete.
const app = useApp({ ownApp: true })

describe('every persona', () => {
  it('gets the same bytes from each read operation, without private answers, names and reports that are pending review', async () => {
    const { pendingIssue, anonymousIssue, people, type } = await createPersonaRows(app)
    await app.create.formAnswer({ on: anonymousIssue, question: 'How deep?', answer: 'As deep as a bucket' })
    const organization = await app.db.prisma.requestType.findUniqueOrThrow({ where: { id: type } })
    const tokens = createReportTokens(app.db)
    const issues = [anonymousIssue, pendingIssue]
    const addresses = await Promise.all(
      issues.map(async (issue) => ({
        organization_id: String(organization.organization_id),
        code: String(type),
        id: String(issue),
        token: await tokens.create(issue),
      })),
    )
    const routes = listReadRoutes(app.fastify)
    const paths = addresses.flatMap((values: Readonly<Record<string, string>>) =>
      routes.map((route) => {
        const isList = /\/requests(\.(json|xml))?$/.test(route)
        const path = route.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? '')
        return isList
          ? `${path}?updated_after=2020-01-01&extensions=true`
          : `${path}${path.includes('/requests/') ? '?extensions=true' : ''}`
      }),
    )
    expect(paths.length).toBeGreaterThanOrEqual(50)

    for (const path of new Set(paths)) {
      const answers: { status: number; text: string }[] = []
      for (const persona of personas) {
        const client = persona === 'anonymous' ? app.as.anonymous : app.as.user(people[persona])
        const { status, text } = await client.send('GET', path)
        answers.push({ status, text })
      }

      const isPending = new RegExp(`/requests/${pendingIssue}\\?`).test(path)
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, ...personas.map(() => (isPending ? 404 : 200))])
      expect([path, new Set(answers.map(({ text }) => text)).size]).toEqual([path, 1])
      const [{ text } = { text: '' }] = answers
      expect(text).not.toContain(PRIVATE_ANSWER)
      expect(text).not.toContain('Owner')
      if (path.includes('/requests') && path.includes('extensions')) {
        expect(text.includes('As deep as a bucket')).toBe(!isPending)
        expect(text).not.toContain(`/issues/${pendingIssue}`)
      }
    }
  })
})
