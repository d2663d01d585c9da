import { expect, it } from 'vitest'

import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createImage } from '../../media/stored-images.ts'

/* Complaints about other services that need no browser. test/README.md says where the others are. */

const app = useApp()

it('“I commented where I meant to report”: the form says what it is for, and links to a new report at the same spot', async () => {
  const issue = await app.create.issue()
  const browser = await createLoggedInBrowser(app, await app.create.user())

  const { text } = await browser.get(`/issues/${issue}`)

  const form = text.slice(text.indexOf('id="say"'))
  expect(form).toMatch(/<h2 id="say-name">Write a comment<\/h2>\s*<p class="quiet">Is it another problem\?/)
  expect(form).toContain('<a href="/report?view=17%2F41.3083%2F-72.9279">Make a new report</a>')
})

it('“I cannot flag abuse”: a report, its pictures and each comment can be flagged from their page', async () => {
  const issue_id = await app.create.issue({ reporter: await app.create.user() })
  await createImage(app, { issue_id })
  const comment = await app.create.comment({ on: issue_id, by: await app.create.user({ name: 'Ella Reyes' }) })
  const browser = await createLoggedInBrowser(app, await app.create.user())

  const { text } = await browser.get(`/issues/${issue_id}`)
  const forms = [await browser.get(`/api/v2/issues/${issue_id}/flag`), await browser.get(`/api/v2/comments/${comment}/flag`)]

  expect(text).toContain(`<a href="/issues/${issue_id}/flag">Flag it</a>`)
  expect(text).toContain(`<a href="/comments/${comment}/flag" aria-label="Flag this comment of Ella Reyes">`)
  for (const form of forms) {
    expect(form.visibleText).toContain('an insult, private data, a picture of faces or number plates, advertising')
    expect(form.text).toContain('<textarea id="field-message"')
  }
})
