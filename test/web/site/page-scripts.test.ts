import { describe, expect, it } from 'vitest'

import { useApp } from '../../helpers/use-app.ts'
import { accountPages } from '../languages/account-pages.ts'
import { createIssuePages, issuePages, openIssuePage } from '../languages/issue-pages.ts'
import { createLanguageScenario } from '../languages/scenario.ts'

const app = useApp()

/** Small scripts that help with a form: the upload of a report, the kept text of a comment, the boxes over a picture, a shown password, a copied address. */
const formScripts =
  /\/(?:report-form|type-step|offline-page|comment-draft|form-preview)\.ts$|\/upload-form\.ts$|\/(?:redact|show-password|copy)\.js\?v=[\w-]+$/

const scriptsOf = (page: string) => [...page.matchAll(/<script [^>]*src="([^"]+)"/g)].map(([, src = '']) => src)
const hasMap = (page: string) => page.includes('data-map="')

describe('pages without a map', () => {
  it('load no script, except for those of forms', async () => {
    const people = await createIssuePages(app)
    const pages = await Promise.all(Object.values(issuePages).map((page) => openIssuePage(app, people, page, 'en')))

    const withoutMap = pages.filter(({ text }) => !hasMap(text))
    expect(withoutMap.length).toBeGreaterThan(10)
    expect(withoutMap.flatMap(({ text }) => scriptsOf(text)).filter((src) => !formScripts.test(src))).toEqual([])
  })

  it('load no script on pages of accounts, questions and moderation either', async () => {
    const scenario = await createLanguageScenario(app, 'en')
    const pages = []
    for (const [, load] of accountPages) pages.push(await load(scenario))

    const withoutMap = pages.filter(({ text }) => !hasMap(text))
    expect(withoutMap.length).toBeGreaterThan(50)
    expect(withoutMap.flatMap(({ text }) => scriptsOf(text)).filter((src) => !formScripts.test(src))).toEqual([])
  })
})
