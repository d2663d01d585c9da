import type { PageRow } from './pages.ts'

const logInFirst = (path: string) => `303 /login?${new URLSearchParams({ return_to: path }).toString()}`

/** The pages on which staff change many issues. */
export const workPageRows: readonly PageRow[] = [
  {
    what: 'GET /bulk of the organisation of the employee',
    path: '/bulk?organization_id=1&status=open,acknowledged,closed',
    expected: '403',
    exceptFor: {
      anonymous: logInFirst('/bulk?organization_id=1&status=open,acknowledged,closed'),
      ...{ employee: '200', admin: '200', elsewhere: '404', moderator: '404' },
    },
  },
  {
    what: 'POST /bulk of an unknown change',
    path: '/bulk?organization_id=1&status=open,acknowledged,closed',
    fields: () => ({ change: 'paint' }),
    expected: '403',
    exceptFor: { anonymous: logInFirst('/work'), employee: '422', admin: '422', elsewhere: '404', moderator: '404' },
  },
  {
    what: 'GET /bulk/:id of an unknown run',
    path: '/bulk/999',
    expected: '404',
    exceptFor: { anonymous: logInFirst('/bulk/999'), other: '403', owner: '403' },
  },
  ...['run', 'undo'].map((step) => ({
    what: `POST /bulk/:id/${step} of an unknown run`,
    path: `/bulk/999/${step}`,
    fields: () => ({ hash: 'x' }),
    expected: '404',
    exceptFor: { anonymous: logInFirst('/work'), other: '403', owner: '403' },
  })),
]
