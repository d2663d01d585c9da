import type { PageRow } from './pages.ts'

const logInFirst = (path: string) => `303 /login?${new URLSearchParams({ return_to: path }).toString()}`

/** The pages on which staff change many issues. */
export const workPageRows: readonly PageRow[] = [
  {
    what: 'GET /work/bulk of the organisation of the employee',
    path: '/work/bulk?organization_id=1&status=open,acknowledged,closed',
    expected: '403',
    exceptFor: {
      anonymous: logInFirst('/work/bulk?organization_id=1&status=open,acknowledged,closed'),
      ...{ employee: '200', admin: '200', elsewhere: '404', moderator: '404' },
    },
  },
  {
    what: 'POST /work/bulk of an unknown change',
    path: '/work/bulk?organization_id=1&status=open,acknowledged,closed',
    fields: () => ({ change: 'paint' }),
    expected: '403',
    exceptFor: { anonymous: logInFirst('/work'), employee: '422', admin: '422', elsewhere: '404', moderator: '404' },
  },
  {
    what: 'GET /work/bulk/:id of an unknown run',
    path: '/work/bulk/999',
    expected: '404',
    exceptFor: { anonymous: logInFirst('/work/bulk/999'), other: '403', owner: '403' },
  },
  ...['run', 'undo'].map((step) => ({
    what: `POST /work/bulk/:id/${step} of an unknown run`,
    path: `/work/bulk/999/${step}`,
    fields: () => ({ hash: 'x' }),
    expected: '404',
    exceptFor: { anonymous: logInFirst('/work'), other: '403', owner: '403' },
  })),
]
