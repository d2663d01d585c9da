import { beforeAll, describe, expect, it } from 'vitest'

import type { ApiResponse } from '../helpers/client.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import type { Reference } from './openapi-responses.ts'

/* Follows every URL in responses about a row of each kind, except images, which the test of the files service follows. */

const app = useApp({ keepRows: true })
const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
let pathsByOperation: Readonly<Record<string, readonly string[]>>

beforeAll(async () => {
  const { create } = app
  const ada = await create.user({ name: 'Ada Park', share_location: true })
  const ben = await create.user({ name: 'Ben Stone' })
  const place = await create.place({ name: 'New Haven', url_name: 'new-haven' })
  await create.place({ name: 'Some County', url_name: 'some-county', place_type: 'County', size: 1 })
  const organization = await create.organization()
  const question = { question: 'How deep?', question_type: 'number' }
  const type = await create.requestType({ title: 'Pothole', organization, questions: [question] })
  await create.requestType({ title: 'Lost cat' })
  const token = await create.watchArea({ of: ada, area: square(GREEN) })
  const { next_since: since } = (await app.as.anonymous.get('/changes')).body as { next_since: string }
  const issue = await create.issue({ reporter: ada, assignee: ben, request_type: type, category: 'pothole' })
  const strange = await create.issue({ category: 'a word of an import', anonymous: true, reporter: ben })
  await create.issue({ status: 'Closed', closed_at: '2026-01-02T00:00:00Z' })
  await create.issue({ status: 'Archived', closed_at: '2026-01-02T00:00:00Z' })
  const comment = await create.comment({ on: issue, by: ben })
  await create.comment({ on: issue })
  await create.vote({ on: issue, by: ben })
  await create.formAnswer({ on: issue, question: 'How deep?', answer: '30' })
  const flaggedQuestion = await create.question({ place: place.id, by: ada })
  const flaggedAnswer = await create.answer({ on: flaggedQuestion, by: ben })

  pathsByOperation = {
    listIssues: [
      '/issues',
      '/issues?details=true&per_page=2&page=2&status=open,acknowledged,closed,archived',
      `/issues?${at}&zoom=15&sort=distance`,
      '/issues?place_url=new-haven&per_page=1&search=issue',
      `/issues?watcher_token=${token}&per_page=1&page=2`,
      `/issues?request_types=${type}&fields[issue]=id,url,html_url,request_type`,
      '/issues?sort=beauty',
    ],
    listChanges: ['/changes', `/changes?since=${since}`, '/changes?since=none'],
    streamChanges: ['/changes/stream', '/changes/stream?since=none'],
    getIssue: [`/issues/${issue}`, `/issues/${strange}`, '/issues/999'],
    listComments: [`/issues/${issue}/comments`],
    getIssueFlagPage: [`/issues/${issue}/flag`],
    getCommentFlagPage: [`/comments/${comment}/flag`],
    listQuestions: ['/new-haven/questions?per_page=1', '/new-haven/questions?subset=none'],
    getQuestion: [`/questions/${flaggedQuestion}`, '/questions/999'],
    listAnswers: [`/questions/${flaggedQuestion}/answers`],
    getAnswer: [`/answers/${flaggedAnswer}`],
    getQuestionFlagPage: [`/questions/${flaggedQuestion}/flag`],
    getAnswerFlagPage: [`/answers/${flaggedAnswer}/flag`],
    getUserFlagPage: [`/users/${ada.id}/flag`],
    getReportForm: [`/issues/new?${at}`, '/issues/new'],
    getRequestType: [`/request_types/${type}`, '/request_types/other'],
    listDuplicates: [`/issues/duplicates?${at}&request_type_id=${type}&summary=issue`, '/issues/duplicates'],
    listUsers: [`/users?${at}`, '/users'],
    getStatistics: ['/statistics?place_url=new-haven&group_by=type', '/statistics?interval=hour'],
    getOrganizationStatistics: [`/organizations/${organization}/statistics`, '/organizations/999/statistics'],
    getUser: [`/users/${ada.id}`],
    getProfile: ['/profile'],
    listTokens: ['/tokens'],
    listWebhooks: ['/webhooks'],
    getWebhook: ['/webhooks/1'],
    listWebhookDeliveries: ['/webhooks/1/deliveries'],
    listModerationItems: ['/moderation'],
    getModerationItem: ['/moderation/1'],
    listEmails: ['/emails'],
    listWatchAreas: ['/watchers'],
    getWatchArea: ['/watchers/1'],
    forecastMails: ['/watchers/forecast?place_url=new-haven', '/watchers/forecast'],
    getEmailConfirmationPage: ['/emails/confirm?token=unknown'],
    listOrganizations: ['/organizations?per_page=1'],
    getOrganization: [`/organizations/${organization}`, '/organizations/999'],
    getCapabilities: [`/organizations/${organization}/capabilities`],
    listMembers: [`/organizations/${organization}/members`],
    listStaffRequestTypes: [`/organizations/${organization}/request_types`],
    listTransfers: [`/organizations/${organization}/transfers`],
    getBulkRun: ['/bulk/1'],
    listInvitations: ['/invitations'],
    listWork: [`/organizations/${organization}/issues?per_page=1`],
    getStaffIssue: [`/issues/${issue}/work`],
    getStaffRequestType: [`/organizations/${organization}/request_types/${type}`],
    getNote: [`/issues/${issue}/notes/1`],
    getCalendar: [`/organizations/${organization}/calendars/1`],
    getTarget: [`/organizations/${organization}/targets/1`],
    getTemplate: [`/organizations/${organization}/templates/1`],
    getView: [`/organizations/${organization}/views/1`],
    listCalendars: [`/organizations/${organization}/calendars`],
    listViews: [`/organizations/${organization}/views`],
    listTemplates: [`/organizations/${organization}/templates`],
    listTargets: [`/organizations/${organization}/targets`],
    listPlaces: [`/places?${at}&per_page=1`],
    getPlace: [`/places/${place.id}`, '/places/some-county'],
    getIssuesAsAtom: ['/feeds/issues.atom?place_url=new-haven&per_page=1', '/feeds/issues.atom?sort=beauty'],
    getIssuesAsGeoJson: ['/feeds/issues.geojson?per_page=1&page=2', '/feeds/issues.geojson?sort=beauty'],
    exportIssues: ['/exports/issues.geojson?place_url=new-haven', '/exports/issues.csv', '/exports/issues.unknown'],
    exportHistory: ['/exports/history.geojson'],
    exportPlaces: ['/exports/places.geojson', '/exports/places.gpx'],
    getIssueTile: ['/tiles/issues/12/853/1554.mvt'],
    getIssueTileJson: [],
    getIssueTileStyle: ['/tiles/issues/style.json?place_url=new-haven'],
    getMetrics: [],
    getOpsHealth: [],
    listDeadLetters: [],
    getTrace: [],
  }
})

const ask = (url: string) => app.as.anonymous.send('GET', url)

/** Follows redirects; each URL must be of this service. */
async function follow(url: string, steps = 0): Promise<ApiResponse> {
  expect(new URL(url, PUBLIC_URL).origin).toBe(PUBLIC_URL)
  const answer = await ask(url.replace(PUBLIC_URL, '') || '/')
  const { location } = answer.headers
  if (answer.status < 300 || answer.status > 399 || typeof location !== 'string') return answer
  expect(steps).toBeLessThan(5)
  return follow(new URL(location, new URL(url, PUBLIC_URL)).href, steps + 1)
}

async function fetchStatuses(urls: Iterable<string>): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  for (const url of [...new Set(urls)].sort()) statuses[url] = (await follow(url)).status
  return statuses
}

const refusals = (statuses: Record<string, number>) => Object.entries(statuses).filter(([, status]) => status !== 200)

function findUrls(body: unknown): string[] {
  if (typeof body === 'string') return /^[a-z][a-z0-9+.-]*:\/\//i.test(body) ? [body] : []
  return typeof body === 'object' && body !== null ? Object.values(body).flatMap(findUrls) : []
}

const LICENCE_ROOT = 'https://creativecommons.org/'

/** Namespaces are URLs too, but not links. */
const atomUrls = (text: string) =>
  [...text.matchAll(/ href="([^"]*)"|<(?:id|icon)>([^<]*)</g)].map(([, href, id]) => (href ?? id ?? '').replaceAll('&amp;', '&'))

describe('URLs in responses', () => {
  it('are checked for all GET operations', async () => {
    const { paths } = (await ask('/docs/json')).body as Reference
    const operations = Object.values(paths).flatMap(({ get }) => (get ? [get.operationId] : []))

    expect(Object.keys(pathsByOperation).sort()).toEqual(operations.sort())
  })

  it('return 200 and belong to this service', async () => {
    const answers = await Promise.all(
      Object.values(pathsByOperation)
        .flat()
        .map((path) => ask(/^\/(feeds|exports|tiles)\//.test(path) ? path : `/api/v2${path}`)),
    )
    const urls = answers.flatMap(({ headers, body, text }) => {
      const type = String(headers['content-type'])
      if (type.startsWith('application/atom+xml')) return atomUrls(text)
      const urlsOfBody = findUrls(type.startsWith('application/geo+json') ? JSON.parse(text) : body)
      return urlsOfBody.filter((url) => !url.startsWith(LICENCE_ROOT))
    })

    const statuses = await fetchStatuses(urls)

    const some = ['/docs', '/i/1', '/places/new-haven/report', '/files/icons/other.svg', '/api/v2/request_types/other', '/users/1']
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(some.map((path) => PUBLIC_URL + path)))
    expect(refusals(statuses)).toEqual([])
  })

  it('return 200 on all pages that are linked from the first page', async () => {
    const seen: Record<string, number> = {}
    let next = ['/']
    while (next.length > 0) {
      const links: string[] = []
      for (const url of next) {
        const { status, headers, text } = await follow(url)
        seen[url] = status
        const isOurPage = String(headers['content-type']).startsWith('text/html') && !url.startsWith('/docs')
        if (isOurPage) links.push(...linksOn(text))
      }
      next = [...new Set(links)].filter((url) => !(url in seen))
    }

    expect(Object.keys(seen)).toEqual(
      expect.arrayContaining(['/places/new-haven', '/places/new-haven/report', '/issues/1', '/i/1']),
    )
    expect(refusals(seen)).toEqual([])
  })
})

function linksOn(page: string): string[] {
  const all = [...page.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
  const ours = all.map((url) => url.replace(PUBLIC_URL, '').replace(/#.*/, ''))
  // The choice of a language has a form on each page and no page.
  return ours.filter((url) => url.startsWith('/') && url !== '/language')
}
