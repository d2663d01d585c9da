import { expect } from 'vitest'

import { sql } from '../../../../src/database/database.ts'
import { UPLOAD_BYTES_MAX } from '../../../../src/http/request/upload.ts'
import type { ApiResponse } from '../../../helpers/client.ts'
import { createImage } from '../../../media/stored-images.ts'
import { FAR_AWAY, GREEN } from '../../../helpers/factories.ts'
import { api, form, anonymous401, image, type Row, UNKNOWN_ID } from '../row.ts'
import { at, nextNumber, type Persona, PRIVATE_ANSWER, type PersonaRows } from '../persona-rows.ts'
import { queryRows } from '../../../helpers/query-rows.ts'

const report = (world: PersonaRows, more: object = {}) => ({
  ...GREEN,
  address: '250 Church St',
  request_type_id: world.type,
  answers: { summary: `Hole ${nextNumber()}` },
  ...more,
})
const withImage = (image: Buffer) =>
  form({
    lat: String(GREEN.lat),
    lng: String(GREEN.lng),
    address: 'x',
    request_type_id: 'other',
    'answers[summary]': `Bench ${nextNumber()}`,
    'answers[issue_image]': image,
  })
const tooLarge = Buffer.alloc(UPLOAD_BYTES_MAX + 1)

const reportsErrorOf = (field: string) => (answer: ApiResponse, persona: Persona) => {
  if (persona !== 'anonymous') expect(answer.body).toEqual({ errors: { [field]: [expect.any(String)] } })
}
const staff = new Set<Persona>(['employee', 'admin'])
const forModerators = { owner: 200, moderator: 200, admin: 200 }

export const reportRows: readonly Row[] = [
  {
    operation: 'createIssue',
    what: 'a report',
    request: (world) => ['POST', api('/issues'), report(world)],
    expected: 201,
    exceptFor: anonymous401,
    check: async ({ body }, persona, { app, people }) => {
      if (persona === 'anonymous') return
      const { id, reporter } = body as { id: number; reporter: { id: number } }
      expect(reporter.id).toBe(people[persona].id)
      const follows = await queryRows(app.db, sql`SELECT f.user_id FROM follows f WHERE f.issue_id = ${id}`)
      expect(follows).toEqual([{ user_id: people[persona].id }])
    },
  },
  {
    operation: 'createIssue',
    what: 'a report that is pending review',
    request: (world) => ['POST', api('/issues'), report(world, { answers: { summary: 'asshole' } })],
    expected: 202,
    exceptFor: anonymous401,
    check: ({ body }, persona) => {
      if (persona !== 'anonymous') expect(body).toEqual({ metadata: { moderated: true } })
    },
  },
  {
    operation: 'createIssue',
    what: 'an anonymous report',
    request: (world) => ['POST', api('/issues'), report(world, { anonymize_reporter: true })],
    expected: 201,
    exceptFor: anonymous401,
    check: ({ body }, persona, { people }) => {
      if (persona === 'anonymous') return
      const { reporter } = body as { reporter: { id: number } }
      expect(reporter.id).toBe(staff.has(persona) ? people[persona].id : 0)
    },
  },
  {
    operation: 'createIssue',
    what: 'a report with invalid fields',
    request: (world) => ['POST', api('/issues'), report(world, { address: '' })],
    expected: 422,
    exceptFor: anonymous401,
    check: reportsErrorOf('address'),
  },
  {
    operation: 'createIssue',
    what: 'a report outside of the area of its request type',
    request: (world) => ['POST', api('/issues'), report(world, FAR_AWAY)],
    expected: 422,
    exceptFor: anonymous401,
    check: reportsErrorOf('point'),
  },
  {
    operation: 'createIssue',
    what: 'a report with a picture',
    request: () => ['POST', api('/issues'), withImage(image)],
    expected: 201,
    exceptFor: anonymous401,
    check: ({ body }, persona) => {
      if (persona === 'anonymous') return
      expect(body).toMatchObject({ media: { image_full: expect.stringContaining('/files/pictures/') as string } })
    },
  },
  {
    operation: 'createIssue',
    what: 'a report with a file that is not a picture',
    request: () => ['POST', api('/issues'), withImage(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))],
    expected: 422,
    exceptFor: anonymous401,
    check: reportsErrorOf('issue_image'),
  },
  {
    operation: 'createIssue',
    what: 'a report with a picture over 20 MB',
    request: () => ['POST', api('/issues'), withImage(tooLarge)],
    expected: 413,
    exceptFor: anonymous401,
  },
  {
    operation: 'getIssue',
    what: 'a report pending review',
    request: (world) => ['GET', api(`/issues/${world.pendingIssue}`)],
    expected: 404,
    exceptFor: forModerators,
  },
  {
    operation: 'getIssue',
    what: 'a report with a private answer and an anonymous reporter',
    request: (world) => ['GET', api(`/issues/${world.anonymousIssue}`)],
    expected: 200,
    check: ({ text, body }, persona, { people }) => {
      expect(text.includes(PRIVATE_ANSWER)).toBe(staff.has(persona))
      const anonymous = { id: 0, name: 'An anonymous user' }
      const owner = { id: people.owner.id, name: 'Owner' }
      expect((body as { reporter: object }).reporter).toMatchObject(staff.has(persona) ? owner : anonymous)
    },
  },
  {
    operation: 'getIssue',
    what: 'a report with an anonymous reporter as GeoJSON',
    request: (world) => ['GET', api(`/issues/${world.anonymousIssue}`), undefined, { accept: 'application/geo+json' }],
    expected: 200,
    check: ({ text }, persona) => {
      const { properties } = JSON.parse(text) as { properties: { reporter: string } }
      expect(properties.reporter).toBe(staff.has(persona) ? 'Owner' : 'An anonymous user')
    },
  },
  { operation: 'getIssue', what: 'an unknown issue', request: () => ['GET', api(`/issues/${UNKNOWN_ID}`)], expected: 404 },
  {
    operation: 'getIssue',
    what: 'a report, with an invalid value of details',
    request: (world) => ['GET', api(`/issues/${world.anonymousIssue}?details=some`)],
    expected: 422,
  },
  {
    operation: 'getFile',
    what: 'the picture of a report pending review',
    request: async ({ app, pendingIssue }) => ['GET', `/files/${(await createImage(app, { issue_id: pendingIssue })).key}`],
    expected: 404,
    exceptFor: forModerators,
  },
  {
    operation: 'getFile',
    what: 'a private picture',
    request: async ({ app, anonymousIssue }) => {
      const image = { issue_id: anonymousIssue, is_answer: true, answer_kept_private: true }
      return ['GET', `/files/${(await createImage(app, image)).key}`]
    },
    expected: 404,
    exceptFor: { employee: 200, admin: 200 },
  },
  {
    operation: 'getReportForm',
    what: 'a form',
    request: () => ['GET', api(`/issues/new?${at}`)],
    expected: 200,
    check: ({ body }, _persona, { type }) => {
      const urls = (body as { request_types: { url: string }[] }).request_types.map(({ url }) => url.split('/').at(-1))
      expect(urls).toEqual([String(type), 'other'])
    },
  },
  { operation: 'getReportForm', what: 'a form without a point', request: () => ['GET', api('/issues/new')], expected: 400 },
  {
    operation: 'getReportForm',
    what: 'a form at an invalid point',
    request: () => ['GET', api('/issues/new?lat=91&lng=0')],
    expected: 422,
  },
  {
    operation: 'getRequestType',
    what: 'a request type with its questions',
    request: (world) => ['GET', api(`/request_types/${world.type}`)],
    expected: 200,
  },
  {
    operation: 'getRequestType',
    what: 'an unknown request type',
    request: () => ['GET', api(`/request_types/${UNKNOWN_ID}`)],
    expected: 404,
  },
  {
    operation: 'listDuplicates',
    what: 'similar reports, without those pending review',
    request: (world) => ['GET', api(`/issues/duplicates?${at}&request_type_id=${world.type}`)],
    expected: 200,
    check: ({ body }, _persona, { anonymousIssue }) => {
      expect((body as { issues: { id: number }[] }).issues.map(({ id }) => id)).toEqual([anonymousIssue])
    },
  },
  {
    operation: 'listDuplicates',
    what: 'duplicates without a point',
    request: () => ['GET', api('/issues/duplicates')],
    expected: 400,
  },
  {
    operation: 'listDuplicates',
    what: 'duplicates of an unknown request type',
    request: () => ['GET', api(`/issues/duplicates?${at}&request_type_id=${UNKNOWN_ID}`)],
    expected: 422,
  },
]
