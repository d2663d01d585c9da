import { expect, it } from 'vitest'

import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { createModerationScenario } from '../../moderation/scenario.ts'

const app = useApp()
const { moderator, createPendingQuestion, createPendingAnswer, findOpenItem } = createModerationScenario(app)

const CITY = 'new-haven'

it('moderators see questions and answers with their city, and edit, approve or reject them', async () => {
  await app.create.place({ url_name: CITY, name: 'New Haven' })
  const [ada, ben, mia] = [await app.create.user({ name: 'Ada' }), await app.create.user({ name: 'Ben' }), await moderator()]
  const open = await app.create.question({ place: 1, question: 'Where is <b>paint</b> taken?' })
  const question = await createPendingQuestion(ada, CITY)
  const answer = await createPendingAnswer(ben, open)
  const [ofQuestion, ofAnswer] = [await findOpenItem('question', question), await findOpenItem('answer', answer)]
  const browser = await createLoggedInBrowser(app, mia)

  const list = await browser.get('/moderation')
  const pages = [await browser.get(`/moderation/${ofQuestion}`), await browser.get(`/moderation/${ofAnswer}`)]

  expect(list.visibleText).toContain('Question by Ada in New Haven')
  expect(list.visibleText).toContain('Answer by Ben in New Haven')
  expect(list.text).toContain(`action="/moderation/${ofQuestion}/approve"`)
  for (const { status, visibleText, text } of pages) {
    expect(status).toBe(200)
    expect(visibleText).toContain('In New Haven')
    expect(text).toContain('href="/places/1"')
    expect(text).not.toContain('<b>paint</b>')
  }
  expect(pages[0]?.text).toContain(`href="/questions/${question}"`)
  expect(pages[1]?.text).toContain(`href="/questions/${open}"`)
  expect(pages[1]?.visibleText).toContain('To Where is &lt;b&gt;paint&lt;/b&gt; taken?')

  const blank = await browser.post(`/moderation/${ofQuestion}/approve`, { question: ' ' })
  expect([blank.status, blank.text.includes('id="field-question"')]).toEqual([422, true])
  expect((await browser.post(`/moderation/${ofQuestion}/approve`, { question: 'Where does one park?' })).status).toBe(303)
  expect((await browser.post(`/moderation/${ofAnswer}/reject`, { reason: 'Be kind.' })).status).toBe(303)

  expect((await app.as.anonymous.get(`/questions/${question}`)).body).toMatchObject({ question: 'Where does one park?' })
  expect((await app.as.anonymous.get(`/questions/${open}/answers`)).body).toMatchObject({ answers: [] })
  expect((await browser.get(`/moderation/${ofQuestion}`)).visibleText).toContain(
    'Original version Question Where do assholes park?',
  )
  expect((await browser.get('/moderation?state=rejected')).visibleText).toContain('Answer by Ben in New Haven')
})
