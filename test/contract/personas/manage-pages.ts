import type { PageRow } from './pages.ts'

const logInFirst = (path: string) => `303 /login?${new URLSearchParams({ return_to: path }).toString()}`
const managedParts = ['settings', 'forwarding', 'request-types', 'templates', 'targets', 'calendars', 'area']

/** The pages of the organisation of the employee. */
export const managePageRows: readonly PageRow[] = [
  {
    what: 'GET /organizations/:id/manage/members of the organisation of the employee',
    path: '/organizations/1/manage/members',
    expected: '403',
    exceptFor: { anonymous: logInFirst('/organizations/1/manage/members'), employee: '200', admin: '200' },
  },
  {
    what: 'GET /organizations/:id/manage of the organisation of the employee',
    path: '/organizations/1/manage',
    expected: '403',
    exceptFor: { anonymous: logInFirst('/organizations/1/manage'), employee: '200', admin: '200' },
  },
  ...managedParts.flatMap((part) => [
    {
      what: `GET /organizations/:id/manage/${part}`,
      path: `/organizations/1/manage/${part}`,
      expected: '403',
      exceptFor: { anonymous: logInFirst(`/organizations/1/manage/${part}`), admin: '200' },
    },
    {
      what: `POST /organizations/:id/manage/${part} without fields`,
      path: `/organizations/1/manage/${part}${['settings', 'forwarding', 'area'].includes(part) ? '' : '/new'}`,
      fields: () => ({}),
      expected: '403',
      exceptFor: { anonymous: logInFirst('/organizations/1/manage'), admin: '422' },
    },
  ]),
  ...['role', 'remove', 'invite', 'withdraw'].map((step) => ({
    what: `POST /organizations/:id/manage/members/${step} without its fields`,
    path: `/organizations/1/manage/members/${step}`,
    fields: () => ({}),
    expected: '403',
    exceptFor: {
      anonymous: logInFirst('/organizations/1/manage/members'),
      employee: step === 'role' || step === 'invite' ? '422' : '404',
      admin: step === 'role' || step === 'invite' ? '422' : '404',
    },
  })),
]
