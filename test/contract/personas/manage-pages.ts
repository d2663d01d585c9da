import type { PageRow } from './pages.ts'

const logInFirst = (path: string) => `303 /login?${new URLSearchParams({ return_to: path }).toString()}`
const managedParts = ['settings', 'forwarding', 'request-types', 'templates', 'targets', 'calendars', 'area', 'invitations']

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
  ...['members/999', 'members/999/remove', 'members/new'].map((member) => ({
    what: `POST /organizations/:id/manage/${member}`,
    path: `/organizations/1/manage/${member}`,
    fields: () => ({}),
    expected: '403',
    exceptFor: {
      anonymous: logInFirst('/organizations/1/manage'),
      employee: member === 'members/new' ? '422' : '404',
      admin: member === 'members/new' ? '422' : '404',
    },
  })),
]
