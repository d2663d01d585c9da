import type { PageRow } from './pages.ts'
import { nextNumber, type PersonaRows } from './persona-rows.ts'

type Status = 'Open' | 'Acknowledged' | 'Closed'

/** Creates an issue for one persona, since a transition changes it for all. */
const createIssue = ({ app, type, people }: PersonaRows, status: Status = 'Open') =>
  app.create.issue({ request_type: type, reporter: people.owner, status })
const issuePath = (step: string, status?: Status) => async (world: PersonaRows) =>
  `/issues/${await createIssue(world, status)}${step}`
const words = () => ({ comment: `What I say ${nextNumber()}` })

const anonymous = '303 /login?return_to=%2Fissues%2FN%23say'
const written = '303 /issues/N#comment-N'
const pressed = '303 /issues/N#part'

export const issuePageRows: readonly PageRow[] = [
  { what: 'POST /issues/:id/comments', path: issuePath('/comments'), fields: words, expected: written, exceptFor: { anonymous } },
  {
    what: 'POST /issues/:id/comments with invalid fields',
    path: issuePath('/comments'),
    fields: () => ({ comment: '' }),
    expected: '422',
    exceptFor: { anonymous },
  },
  {
    what: 'POST /issues/:id/comments of a report pending review',
    path: ({ pendingIssue }) => `/issues/${pendingIssue}/comments`,
    fields: words,
    expected: '404',
    exceptFor: { anonymous, owner: '422', moderator: '422', admin: '422' },
  },
  {
    what: 'POST /issues/:id/close, which asks employees for an outcome',
    path: issuePath('/close'),
    fields: words,
    expected: written,
    exceptFor: { anonymous, employee: '422', admin: '422' },
  },
  {
    what: 'POST /issues/:id/close of an acknowledged issue',
    path: issuePath('/close', 'Acknowledged'),
    fields: () => ({ ...words(), outcome: 'fixed' }),
    expected: '403',
    exceptFor: { anonymous, employee: written, admin: written },
  },
  {
    what: 'POST /issues/:id/close of a closed issue',
    path: issuePath('/close', 'Closed'),
    fields: words,
    expected: '422',
    exceptFor: { anonymous },
  },
  { what: 'POST /issues/:id/open', path: issuePath('/open', 'Closed'), fields: words, expected: written, exceptFor: { anonymous } },
  {
    what: 'POST /issues/:id/preview',
    path: issuePath('/preview'),
    fields: words,
    expected: '403',
    exceptFor: { anonymous, employee: '200', admin: '200' },
  },
  {
    what: 'POST /issues/:id/acknowledge',
    path: issuePath('/acknowledge'),
    fields: words,
    expected: '403',
    exceptFor: { anonymous, employee: written, admin: written },
  },
  ...['vote', 'vote/delete', 'follow', 'follow/delete'].map((step) => ({
    what: `POST /issues/:id/${step}`,
    path: issuePath(`/${step}`),
    fields: () => ({}),
    expected: pressed,
    exceptFor: { anonymous: step.endsWith('delete') ? anonymous : `303 /login?return_to=%2Fissues%2FN%2F${step}` },
  })),
  {
    what: 'POST /issues/:id/assignee',
    path: issuePath('/assignee'),
    fields: ({ people }) => ({ assignee_id: String(people.employee.id), version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '303 /issues/N#staff', admin: '303 /issues/N#staff' },
  },
  {
    what: 'POST /issues/:id/priority',
    path: issuePath('/priority'),
    fields: () => ({ priority: '3', version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '303 /issues/N#staff', admin: '303 /issues/N#staff' },
  },
  {
    what: 'POST /issues/:id/target',
    path: issuePath('/target'),
    fields: () => ({ paused: 'false', version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '303 /issues/N#staff', admin: '303 /issues/N#staff' },
  },
  {
    what: 'POST /issues/:id/type',
    path: issuePath('/type'),
    fields: ({ type }) => ({ request_type_id: String(type), version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '303 /issues/N#staff', admin: '303 /issues/N#staff' },
  },
  {
    what: 'POST /issues/:id/transfer',
    path: issuePath('/transfer'),
    // The organisation of `elsewhere`.
    fields: () => ({ organization_id: '2', reason: 'It is in a park.', version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '303 /issues/N#staff', admin: '303 /issues/N#staff' },
  },
  ...['accept', 'refuse'].map((step) => ({
    what: `POST /issues/:id/transfer/${step} of an unknown offer`,
    path: issuePath(`/transfer/${step}`),
    fields: () => ({ version: '*' }),
    expected: '404',
    exceptFor: { anonymous },
  })),
  {
    what: 'POST /issues/:id/merge',
    path: issuePath('/merge'),
    fields: ({ anonymousIssue }) => ({ duplicate_of: String(anonymousIssue), version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '303 /issues/N#staff', admin: '303 /issues/N#staff' },
  },
  {
    what: 'POST /issues/:id/unmerge of an issue that is not merged',
    path: issuePath('/unmerge'),
    fields: () => ({ version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '422', admin: '422' },
  },
  {
    what: 'POST /issues/:id/notes',
    path: issuePath('/notes'),
    fields: () => ({ note: 'They come on Monday.' }),
    expected: '403',
    exceptFor: { anonymous, employee: '303 /issues/N#staff', admin: '303 /issues/N#staff' },
  },
  ...['edit', 'delete'].map((step) => ({
    what: `POST /issues/:id/notes/${step} of an unknown note`,
    path: issuePath(`/notes/${step}`),
    fields: () => ({ note_id: '999', note: 'They come on Tuesday.' }),
    expected: '403',
    exceptFor: { anonymous, employee: '404', admin: '404' },
  })),
  {
    what: 'POST /issues/:id/assignee with a user who is not an employee',
    path: issuePath('/assignee'),
    fields: ({ people }) => ({ assignee_id: String(people.other.id), version: '*' }),
    expected: '403',
    exceptFor: { anonymous, employee: '422', admin: '422' },
  },
  ...['comments', 'close', 'vote', 'follow', 'assignee'].map((step) => ({
    what: `POST /issues/:id/${step} from another site`,
    path: issuePath(`/${step}`),
    fields: words,
    headers: { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    expected: '403',
  })),
]
