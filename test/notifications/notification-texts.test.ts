import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'

import { languages } from '../../src/locales/texts.ts'
import { composeIssueNotification } from '../../src/notifications/templates/compose-issue-notification.ts'
import { toOneLine, shortenText } from '../../src/notifications/templates/shorten-text.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import type { IssueNotificationContent } from '../../src/notifications/recipients/issue-notification-queries.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const urls = urlsFrom(() => 'https://fixpoint.test')
const KEY = 'a key that never changes'

const plain: IssueNotificationContent = {
  event_id: 7,
  type: 'comment.added',
  issue_id: 42,
  summary: 'Pothole on Church Street',
  address: '250 Church St, New Haven',
  status: 'Open',
  outcome: null,
  comment: 'It is still there, and deeper.\nMind your bicycle!',
  actor_name: 'Ben Stone',
  actor_organization: null,
  reason: null,
  image_key: null,
  issue_image_key: null,
  is_page_readable: true,
}
const kinds: readonly IssueNotificationContent[] = [
  plain,
  {
    ...plain,
    actor_name: null,
    image_key: '0123456789abcdef.png',
    issue_image_key: 'fedcba9876543210.jpg',
    comment: `Long. ${'So long that few people read all of it. '.repeat(60)}`,
  },
  { ...plain, type: 'issue.acknowledged', status: 'Acknowledged' },
  { ...plain, type: 'issue.closed', status: 'Closed', outcome: 'passed_on', address: null },
  { ...plain, type: 'issue.reopened', comment: null },
  { ...plain, type: 'issue.assigned', comment: null },
  { ...plain, type: 'issue.rejected', comment: null },
  { ...plain, type: 'issue.rejected', comment: null, is_page_readable: false },
  { ...plain, type: 'issue.reported', comment: null },
  { ...plain, type: 'comment.rejected' },
  { ...plain, type: 'comment.transition_refused' },
]

const compose = (locale: string, facts: IssueNotificationContent) =>
  composeIssueNotification({ locale, user_id: 5 }, facts, urls, KEY)

/** Returns the mail as sent, raw and parsed. */
async function sendMail(locale: string, facts: IssueNotificationContent) {
  const mailer = openMailer({ smtpUrl: undefined, mailFrom: undefined, dataDir: createTemporaryFolder() }, urls)
  await mailer.send({ id: 'the-id-of-the-delivery', to: 'ada@example.org', ...compose(locale, facts) })
  const [name = ''] = (await mailer.folder?.list(1)) ?? []
  const raw = (await mailer.folder?.read(name)) ?? Buffer.alloc(0)
  return { raw: raw.toString(), mail: await PostalMime.parse(raw) }
}

const CHANGING = ['date', 'content-type', 'mime-version', 'subject']
async function renderMail(locale: string, facts: IssueNotificationContent): Promise<string> {
  const { mail } = await sendMail(locale, facts)
  const headers = mail.headers.filter(({ key }) => !CHANGING.includes(key)).map(({ key, value }) => `${key}: ${value}`)
  const body = (mail.html ?? '').replace(/^[\s\S]*<body[^>]*>/, '').replace(/<\/body>[\s\S]*$/, '')
  const styles = / (?:style|class)="[^"]*"/g
  return [
    `subject: ${mail.subject}`,
    ...headers,
    '',
    mail.text,
    body
      .replaceAll(styles, '')
      .replaceAll(/\n{2,}/g, '\n')
      .trim(),
  ].join('\n')
}

describe('the mail of a notification', () => {
  it.each(languages)('matches its snapshot in %s for every kind of event', async (language) => {
    const mails = []
    for (const facts of kinds) mails.push(await renderMail(language, facts))

    await expect(mails.join('\n\n═══════════════════════════════\n\n')).toMatchFileSnapshot(`snapshots/${language}.txt`)
  })

  it.each(kinds)('links only to this site and needs no wrapping: $type', (facts) => {
    const { text, html } = compose('fr', facts)

    const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<,]+/g)].map(([link]) => new URL(link).origin)
    expect(new Set(links)).toEqual(new Set(['https://fixpoint.test']))
    expect(text.split('\n').filter((line) => line.length > 76 && !line.includes('https://'))).toEqual([])
    expect(html).not.toMatch(/<img (?!src="https:\/\/fixpoint\.test\/(?:files|issues)\/)|<script|url\(/)
  })

  it('escapes texts of users', async () => {
    const evil = {
      ...plain,
      summary: 'Pothole\r\nBcc: victim@example.org\r\n\r\n<script>alert(1)</script>',
      address: '</p><img src=x onerror=alert(1)>',
      actor_name: 'Ben\nX-Evil: yes "><i>',
      comment: '-- \n</blockquote><a href="https://evil.example">Log in</a>\r\n.\r\nQUIT\n\u202eevil\u0000',
    }

    const { raw, mail } = await sendMail('en', evil)

    const names = mail.headers.map(({ key }) => key)
    expect(names).not.toContain('bcc')
    expect(names).not.toContain('x-evil')
    expect(raw.split('\n\n')[0]).not.toMatch(/^(?:bcc|x-evil):/im)
    expect(mail.subject).toBe(
      'New comment by Ben X-Evil: yes "><i>: Pothole Bcc: victim@example.org <script>alert(1)</script> (#42)',
    )
    expect(mail.html).not.toMatch(/<script|<img src=x|<i>|<\/blockquote><a|href="https:\/\/evil/)
    expect(mail.text).toContain('> --\n> </blockquote>')
    for (const unseen of ['\0', '\u202e']) expect(`${mail.text}${mail.html}`).not.toContain(unseen)
  })

  it('shows the picture of a comment, and links to it in the text', () => {
    const { html, text } = compose('en', { ...plain, image_key: 'abcdef.jpg' })

    expect(html).toContain('<img src="https://fixpoint.test/files/abcdef.jpg" alt="Picture of the comment by ')
    expect(text).toContain('\nhttps://fixpoint.test/files/abcdef.jpg\n')
  })

  it('names the organisation of an official, alone if it does not show its people', () => {
    const actor_organization = { name: 'Denver\nRoads', translations: { es: { name: 'Calles de Denver' } } }
    const official = { ...plain, type: 'issue.acknowledged', actor_organization } as const

    const [named, hidden] = [compose('en', official), compose('en', { ...official, actor_name: null })]

    expect(named.text).toContain('Ben Stone (Denver Roads) acknowledged this issue')
    expect(compose('es-MX', official).text).toContain('Ben Stone (Calles de Denver)')
    expect(compose('fr', official).text).toContain('Ben Stone (Denver Roads)')
    expect(hidden.text).toContain('Denver Roads acknowledged this issue')
  })

  it('shows the picture and the map of a public issue with texts for those who do not see them', () => {
    const pictured = { ...plain, issue_image_key: 'fedcba.jpg' }

    const { html } = compose('en', pictured)

    expect(html).toContain('<img src="https://fixpoint.test/files/fedcba.jpg" alt="Picture of the issue: Pothole on Church Street"')
    expect(html).toContain('<img src="https://fixpoint.test/issues/42/map.png" alt="Map of the surroundings of the issue"')
    for (const type of ['issue.rejected', 'comment.rejected'] as const)
      expect(compose('en', { ...pictured, type }).html).not.toContain('<img')
  })

  it('shortens a long quotation and says where to read on', () => {
    const long = { ...plain, comment: 'word '.repeat(1_000) }
    const { text } = compose('en', long)

    const quote = text.split('\n').filter((line) => line.startsWith('> '))
    expect(quote.join('').length).toBeLessThan(1_100)
    expect(quote.at(-1)).toMatch(/word…$/)
    expect(text).toContain('This text is shortened. Read it in full on the issue page.')
    expect(compose('en', { ...plain, comment: 'x'.repeat(5_000) }).text.length).toBeLessThan(2_000)
  })

  it('shares a thread with all mails about the issue', () => {
    const [comment, closed] = [compose('en', plain), compose('en', { ...plain, type: 'issue.closed' })]
    const other = compose('en', { ...plain, issue_id: 43 })

    expect(comment.subject).toBe('New comment by Ben Stone: Pothole on Church Street (#42)')
    expect(closed.subject).toBe('Closed: Pothole on Church Street (#42)')
    expect(comment.headers).toEqual(closed.headers)
    expect(comment.headers).toMatchObject({ 'In-Reply-To': '<issue-42@fixpoint.test>', References: '<issue-42@fixpoint.test>' })
    expect(other.headers?.['References']).not.toBe(comment.headers?.['References'])
    expect(other.headers?.['List-Id']).not.toBe(comment.headers?.['List-Id'])
  })

  it.each(['http://127.0.0.1:3000', 'http://[::1]:3000'])('has a List-Id of RFC 2919 also at %s', (root) => {
    const { headers } = composeIssueNotification(
      { locale: 'en', user_id: 5 },
      plain,
      urlsFrom(() => root),
      KEY,
    )

    expect(headers?.['List-Id']).toBe('Fixpoint issue 42 <issue-42.localhost>')
  })
})

describe('toOneLine and shortenText', () => {
  it.each([
    ['a b', 3, 'a b'],
    ['some words here', 12, 'some words…'],
    ['abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz', 10, 'abcdefghi…'],
    ['a\u0000b\u2028c\n d', 20, 'a b c d'],
    ['😀😀😀', 4, '😀\ufffd…'],
  ])('shortens %j to at most %i characters: %j', (text, max, line) => {
    expect(toOneLine(text, max)).toBe(line)
  })

  it('preserves lines and replaces several empty lines by one', () => {
    expect(shortenText('a\r\n\r\n\r\n\r\nb\rc  ', 100)).toEqual({ text: 'a\n\nb\nc', isShortened: false })
  })
})
