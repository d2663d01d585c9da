import { expect, it } from 'vitest'

import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const url = 'https://example.org/hook'

it.each([
  ['a filter of downloads', { url, query: 'organization_id=3', 'kinds[]': 'created' }, 'field-query', 'List'],
  ['no kind of changes', { url, query: '' }, 'field-kinds-', 'Send'],
])('/account/webhooks says which field is wrong: %s', async (_, values, field, label) => {
  const browser = await createLoggedInBrowser(app, await app.create.user())

  const { status, text } = await browser.post('/account/webhooks', values)

  const links = [...text.matchAll(/<li[^>]*><a href="#([^"]*)"><b>([^<]*)<\/b>/g)].map(([, id, name]) => [id, name])
  expect([status, links]).toEqual([422, [[field, label]]])
  expect(text).toContain(`id="${field}"`)
})
