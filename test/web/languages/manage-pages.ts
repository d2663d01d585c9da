import { type AccountPage, get, post } from './account-page.ts'

export const managePages: readonly AccountPage[] = [
  ...['', '?done=saved', '/new', '/999'].map((path) => get('mia', `/organizations/1/manage/members${path}`)),
  ...['members/999', 'members/999/remove', 'invitations/999/remove'].map((path) =>
    post('admin', `/organizations/1/manage/${path}`, {}),
  ),
  ...['', '?done=invited', '/new'].map((path) => get('admin', `/organizations/1/manage/invitations${path}`)),
  post('admin', '/organizations/1/manage/invitations/new', { email: 'x', role: 'x' }),
  ...['', '/settings', '/settings?done=saved', '/forwarding'].map((path) => get('admin', `/organizations/1/manage${path}`)),
  get('admin', '/organizations/1/manage/area'),
  post('admin', '/organizations/1/manage/area', {}),
  post('admin', '/organizations/1/manage/settings', { name: '', inbox_email: 'x' }),
  post('admin', '/organizations/1/manage/forwarding', { 'forwarding.endpoint': 'x' }),
  ...['request-types', 'templates', 'targets', 'calendars'].flatMap((part) => [
    get('admin', `/organizations/1/manage/${part}`),
    get('admin', `/organizations/1/manage/${part}/new`),
    post('admin', `/organizations/1/manage/${part}/new`, { name: '' }),
    post('admin', `/organizations/1/manage/${part}/9/remove`, {}),
  ]),
  ...['request-types/9', 'request-types/9/up', 'request-types/9/questions/1', 'templates/9/up'].map((path) =>
    post('admin', `/organizations/1/manage/${path}`, {}),
  ),
  ...['remove', 'up', 'preview'].map((step) => post('admin', `/organizations/1/manage/request-types/9/questions/1/${step}`, {})),
  ...['removed', 'moved'].map((done) => get('admin', `/organizations/1/manage/templates?done=${done}`)),
  post('admin', '/organizations/1/manage/request-types/new/preview', { version: '', title: 'Παγκάκι', category: 'park' }),
  post('admin', '/organizations/1/manage/targets/new/preview', { version: '', acknowledge_hours: '8', close_hours: '40' }),
  post('admin', '/organizations/1/manage/calendars/new/preview', {
    ...{ version: '', name: 'Δημαρχείο', time_zone: 'UTC', 'weekly_hours.monday': '08:00-12:00' },
  }),
  managed('the page of a request type', 'request-types', { title: 'Παγκάκι', category: 'park' }),
  managed('the form of a question', 'request-types', { title: 'Στύλος', category: 'park' }, '/questions/1'),
  managed('the form of a prepared answer', 'templates', { title: 'Έτοιμο', 'texts.en': 'Έγινε.', outcome: 'fixed' }),
  managed('the form of a target', 'targets', { acknowledge_hours: '8', close_hours: '40' }),
  managed('the form of a calendar', 'calendars', { name: 'Δημαρχείο', time_zone: 'UTC', 'weekly_hours.monday': '08:00-12:00' }),
]

/** Adds a row by its form and returns the page of the last one. */
function managed(name: string, part: string, fields: Record<string, string>, below = ''): AccountPage {
  return [
    name,
    async ({ browsers }) => {
      const list = `/organizations/1/manage/${part}`
      await browsers.admin.post(`${list}/new`, { version: '', ...fields })
      const row = [...(await browsers.admin.get(list)).text.matchAll(new RegExp(`${list}/\\d+`, 'g'))].at(-1)?.[0] ?? ''
      return browsers.admin.get(row + below)
    },
  ]
}
