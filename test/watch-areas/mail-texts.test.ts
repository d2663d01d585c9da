import { describe, expect, it } from 'vitest'

import { languages } from '../../src/locales/texts.ts'
import { composeDigest, composeWatchNotification } from '../../src/notifications/templates/compose-watch-mails.ts'
import type { ComposedMail } from '../../src/notifications/templates/layout.ts'
import { urlsFrom } from '../../src/http/request/urls.ts'
import type { DigestIssue } from '../../src/watch-areas/digest-queries.ts'
import type { WatchNotificationContent } from '../../src/watch-areas/notification-queries.ts'

const urls = urlsFrom(() => 'https://fixpoint.test')
const KEY = 'a key that never changes'

const news: WatchNotificationContent = {
  event_id: 7,
  type: 'issue.reported',
  issue_id: 42,
  summary: 'Pothole on Church Street',
  address: '250 Church St',
  city: 'New Haven',
  status: 'Open',
  text: 'It is deep.\nMind your bicycle!',
  actor_name: 'Ben Stone',
  image_key: '0123456789abcdef.png',
  issue_image_key: '0123456789abcdef.png',
}

const kinds: readonly WatchNotificationContent[] = [
  news,
  { ...news, actor_name: null, text: null, image_key: null, address: null, city: null },
  { ...news, type: 'comment.added', image_key: null },
  { ...news, type: 'issue.acknowledged', status: 'Acknowledged', text: null, image_key: null },
  { ...news, type: 'issue.closed', status: 'Closed', image_key: null },
  { ...news, type: 'issue.reopened', actor_name: null, text: null, image_key: null },
]

const issue: DigestIssue = {
  ...{ digest_id: 9, issue_id: 42, summary: 'Pothole on Church Street', address: '250 Church St', status: 'Open', is_new: true },
  thumbnail_key: null,
  ...{ acknowledged: 0, closed: 0, opened: 0, comments: 0, new_count: 1, all_count: 1 },
}

const old = { ...issue, is_new: false, new_count: 0 }
const digests: readonly (readonly DigestIssue[])[] = [
  [{ ...issue, comments: 1 }],
  [{ ...old, closed: 1, comments: 2, status: 'Closed', address: null }],
  [
    { ...issue, new_count: 1_500, all_count: 1_503 },
    { ...old, acknowledged: 1, closed: 2, opened: 1, new_count: 1_500, all_count: 1_503, thumbnail_key: 'pictures/ab.jpg' },
  ],
]

const to = (locale: string, area_name: string | null = 'Downtown', frequency = 'daily') => ({
  ...{ user_id: 5, watch_area_id: 3, area_name, locale, frequency },
})

function renderMail({ subject, headers = {}, text, html }: ComposedMail): string {
  const body = html.replace(/^[\s\S]*<body[^>]*>/, '').replace(/<\/body>[\s\S]*$/, '')
  return [
    ...Object.entries({ Subject: subject, ...headers }).map(([name, value]) => `${name}: ${value}`),
    '',
    text,
    body
      .replaceAll(/ (?:style|class)="[^"]*"/g, '')
      .replaceAll(/\n{2,}/g, '\n')
      .trim(),
  ].join('\n')
}

const digest =
  (...recipient: Parameters<typeof to>) =>
  (issues: readonly DigestIssue[]) =>
    composeDigest(to(...recipient), issues, urls, KEY)
const is = <Value>(value: Value | undefined): value is Value => value !== undefined

describe('the mails of watch areas', () => {
  it.each(languages)('match their snapshot in %s', async (language) => {
    const mails = [
      ...kinds.map((one) => composeWatchNotification(to(language), one, urls, KEY)),
      composeWatchNotification(to(language, null), news, urls, KEY),
      ...digests.map(digest(language)),
      digest(language, null, 'weekly')(digests[0] ?? []),
    ].filter(is)

    await expect(mails.map(renderMail).join('\n\n═══════════════════════════════\n\n')).toMatchFileSnapshot(
      `snapshots/${language}.txt`,
    )
  })

  it.each(languages)('link only to this site and need no wrapping: %s', (language) => {
    const long = 'a very long name of an area that '.repeat(9)
    const mails = [
      ...kinds.map((one) => composeWatchNotification(to(language, long), { ...one, summary: long, address: long }, urls, KEY)),
      ...digests.map((issues) => digest(language, long)(issues.map((one) => ({ ...one, summary: long, address: long })))),
    ].filter(is)

    for (const { text, html } of mails) {
      const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<,]+/g)].map(([link]) => new URL(link).origin)
      expect(new Set(links)).toEqual(new Set(['https://fixpoint.test']))
      expect(text.split('\n').filter((line) => line.length > 76 && !line.includes('https://'))).toEqual([])
      expect(html).not.toMatch(/<img (?!src="https:\/\/fixpoint\.test\/(?:files|issues)\/)|<script|url\(/)
    }
  })

  it('escape texts of users', () => {
    const evil = 'Down\r\nBcc: victim@example.org\r\n<script>alert(1)</script> {count, plural} \u202e'
    const mails = [
      composeWatchNotification(
        to('en', evil),
        { ...news, summary: evil, address: evil, actor_name: evil, city: evil, text: evil },
        urls,
        KEY,
      ),
      digest('en', evil)([{ ...issue, summary: evil, address: evil }]),
    ].filter(is)

    expect(mails).toHaveLength(2)
    for (const { subject, text, html, headers } of mails) {
      expect(subject).not.toMatch(/[\r\n]/)
      expect(JSON.stringify(headers)).not.toContain('victim')
      expect(html).not.toContain('<script')
      expect(`${text}${html}`).not.toContain('\u202e')
    }
  })

  it('share the thread of the issue, except digests', () => {
    const [mail] = kinds.map((one) => composeWatchNotification(to('en'), one, urls, KEY))

    expect(mail?.subject).toBe('New report in Downtown: Pothole on Church Street (#42)')
    expect(mail?.headers).toMatchObject({
      References: '<issue-42@fixpoint.test>',
      'List-Id': 'Fixpoint watch area 3 <watch-3.fixpoint.test>',
    })
    expect(digest('en')(digests[0] ?? [])?.headers).not.toHaveProperty('References')
  })

  it('show a map of the issues of a digest and the pictures of some, without the watch area in an address', () => {
    const issues = Array.from({ length: 50 }, (_, n) => ({
      ...issue,
      issue_id: n + 1,
      thumbnail_key: `pictures/${n}.jpg`,
      all_count: 50,
    }))

    const { html = '', text = '' } = digest('en')(issues) ?? {}

    const ids = issues.map(({ issue_id }) => issue_id).join(',')
    const pictures = [...html.matchAll(/<img src="([^"]*)" alt="([^"]*)"/g)].map(([, src, alt]) => [src, alt])
    expect(pictures[0]).toEqual([`https://fixpoint.test/issues/map.png?ids=${ids}`, 'Map with the 50 issues of this mail'])
    expect(pictures.slice(1)).toEqual(
      Array.from({ length: 12 }, (_, n) => [
        `https://fixpoint.test/files/pictures/${n}.jpg`,
        'Picture of the issue: Pothole on Church Street',
      ]),
    )
    expect(html.length).toBeLessThan(100_000)
    for (const { issue_id } of issues) expect(text).toContain(`\nhttps://fixpoint.test/issues/${issue_id}\n`)
  })

  it('show the picture of a comment, and link to it in the text', () => {
    const key = 'pictures/comment.jpg'
    const { html, text } = composeWatchNotification(to('en'), { ...news, type: 'comment.added', image_key: key }, urls, KEY)

    expect(html).toContain(`<img src="https://fixpoint.test/files/${key}" alt="Picture of the comment by Ben Stone"`)
    expect(text).toContain(`\nhttps://fixpoint.test/files/${key}\n`)
  })

  it('are not composed without events', () => {
    expect(digest('en')([])).toBeUndefined()
  })
})
