import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'

import { languages } from '../../src/locales/texts.ts'
import { composeQuestionNotification } from '../../src/notifications/templates/compose-question-notification.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import type { QuestionNotificationContent } from '../../src/notifications/recipients/question-notification-queries.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const urls = urlsFrom(() => 'https://fixpoint.test')

const plain: QuestionNotificationContent = {
  event_id: 7,
  type: 'answer.given',
  question_id: 42,
  question: 'Where can I drop off old paint?',
  place: 'New Haven',
  answer: 'At the depot on Middletown Avenue.\nOn Saturdays only!',
  actor_name: 'Ben Stone',
  reason: null,
}
const kinds: readonly QuestionNotificationContent[] = [
  plain,
  {
    ...plain,
    actor_name: null,
    question: `Why? ${'Long questions take long. '.repeat(20)}`,
    answer: `Long. ${'Few people read all of it. '.repeat(90)}`,
  },
  { ...plain, type: 'answer.accepted', actor_name: 'Ada Park' },
  { ...plain, type: 'question.rejected', answer: null, actor_name: null, reason: 'Please without the name of your neighbour.' },
  { ...plain, type: 'answer.rejected', actor_name: null },
  { ...plain, type: 'answer.rejected', question: null, actor_name: null },
]

const compose = (locale: string, facts: QuestionNotificationContent) =>
  composeQuestionNotification({ locale, user_id: 5 }, facts, urls, 'a key that never changes')

async function renderMail(locale: string, facts: QuestionNotificationContent): Promise<string> {
  const mailer = openMailer({ smtpUrl: undefined, mailFrom: undefined, dataDir: createTemporaryFolder() }, urls)
  await mailer.send({ id: 'the-id-of-the-delivery', to: 'ada@example.org', ...compose(locale, facts) })
  const [name = ''] = (await mailer.folder?.list(1)) ?? []
  const { headers, subject, text = '', html = '' } = await PostalMime.parse((await mailer.folder?.read(name)) ?? '')
  const stableHeaders = headers.filter(({ key }) => !['date', 'content-type', 'mime-version', 'subject'].includes(key))
  const body = html.replace(/^[\s\S]*<body[^>]*>/, '').replace(/<\/body>[\s\S]*$/, '')
  const plainBody = body.replaceAll(/ (?:style|class)="[^"]*"/g, '').replaceAll(/\n{2,}/g, '\n')
  return [`subject: ${subject}`, ...stableHeaders.map(({ key, value }) => `${key}: ${value}`), '', text, plainBody.trim()].join(
    '\n',
  )
}

describe('the mail about a question', () => {
  it.each(languages)('matches its snapshot in %s for every kind of event', async (language) => {
    const mails = []
    for (const facts of kinds) mails.push(await renderMail(language, facts))

    await expect(mails.join('\n\n═══════════════════════════════\n\n')).toMatchFileSnapshot(`snapshots/questions-${language}.txt`)
  })

  it.each(kinds)('links only to this site and needs no wrapping: $type', (facts) => {
    const { text, html } = compose('fr', facts)

    const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<,]+/g)].map(([link]) => new URL(link).origin)
    expect(new Set(links)).toEqual(new Set(['https://fixpoint.test']))
    expect(text.split('\n').filter((line) => line.length > 76 && !line.includes('https://'))).toEqual([])
    expect(html).not.toMatch(/<img|<script|url\(/)
  })

  it('shares a thread with all mails about the question, not with an issue of the same id', () => {
    const [answered, accepted] = [compose('en', plain), compose('en', { ...plain, type: 'answer.accepted' })]

    expect(answered.headers).toEqual(accepted.headers)
    expect(answered.headers).toMatchObject({
      'List-Id': 'Fixpoint question 42 <question-42.fixpoint.test>',
      'In-Reply-To': '<question-42@fixpoint.test>',
      References: '<question-42@fixpoint.test>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  it('neither quotes nor links a question that the recipient may not see', () => {
    const { subject, text } = compose('en', { ...plain, type: 'answer.rejected', question: null })

    expect(subject).toBe('Your answer was not published')
    expect(text).not.toMatch(/paint|\/questions\//)
  })

  it('escapes texts of users', () => {
    const evil = {
      ...plain,
      question: 'Why\r\nBcc: x@example.org <script>',
      actor_name: 'Ben\nX-Evil: "><i>',
      answer: '-- \n</blockquote><a href="https://evil.example">Log in</a>',
    }
    const { subject, text, html } = compose('en', evil)

    expect(subject).toBe('Your question was answered: Why Bcc: x@example.org <script>')
    expect(html).not.toMatch(/<script|<i>|<\/blockquote><a|href="https:\/\/evil/)
    expect(text).toContain('> --\n> </blockquote>')
  })
})
