import type { TestApp } from '../helpers/use-app.ts'

export type Streets = Awaited<ReturnType<typeof createStreets>>

/** Creates an organisation with a request type and an employee. */
export async function createStreets(app: TestApp) {
  const organization = await app.create.organization({ name: 'Streets' })
  const type = await app.create.requestType({ organization })
  const employee = await app.create.user({ name: 'Eve', memberOf: [{ organization }] })
  const createIssue = (more: Parameters<typeof app.create.issue>[0] = {}) => app.create.issue({ request_type: type, ...more })
  return { organization, employee, createIssue }
}
