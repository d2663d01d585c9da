import { nextNumber, type PersonaRows } from '../persona-rows.ts'
import { anonymous401, api, type Row, UNKNOWN_ID } from '../row.ts'

/** The organisation of `employee`, whose role may read what managers change. */
const roads = async ({ app }: PersonaRows) => (await app.db.prisma.organization.findFirstOrThrow({ where: { name: 'Roads' } })).id
const members = (status: number) => ({ anonymous: 401, employee: status, admin: status })
const managers = (status: number) => ({ anonymous: 401, admin: status })

const weekly_hours = { monday: ['08:00-12:00'] }
const calendar = { name: 'City hall', time_zone: 'America/Denver', weekly_hours }

async function createCalendar(world: PersonaRows): Promise<string> {
  const hours = { monday: [{ from: '08:00', to: '12:00' }] }
  const data = { organization_id: await roads(world), name: 'City hall', time_zone: 'UTC', weekly_hours: hours }
  return String((await world.app.db.prisma.calendar.create({ data })).id)
}

/** Each call has a request type of its own, because a type has one target. */
async function createTarget(world: PersonaRows): Promise<string> {
  const organization_id = await roads(world)
  const request_type_id = await world.app.create.requestType({ organization: organization_id })
  return String((await world.app.db.prisma.targetRule.create({ data: { organization_id, request_type_id, close_hours: 8 } })).id)
}

async function createTemplate(world: PersonaRows): Promise<string> {
  const data = { organization_id: await roads(world), title: 'Filled', texts: { en: 'We filled it.' } }
  return String((await world.app.db.prisma.responseTemplate.create({ data })).id)
}

/** Both callers see a shared view; only the Admin may change it. */
async function createView(world: PersonaRows): Promise<string> {
  const data = { organization_id: await roads(world), name: 'Late', query: 'late=close' }
  return String((await world.app.db.prisma.savedView.create({ data })).id)
}

const ANY_VERSION = { 'if-match': '*' }

interface Resource {
  readonly path: 'calendars' | 'targets' | 'templates' | 'views'
  /** All members may change their own. */
  readonly isOwn?: true
  readonly names: Readonly<Record<'list' | 'get' | 'create' | 'update' | 'delete', string>>
  readonly input: (world: PersonaRows) => Promise<object>
  readonly invalid: object
  readonly change: object
  readonly create: (world: PersonaRows) => Promise<string>
}

const resources: readonly Resource[] = [
  {
    path: 'calendars',
    names: {
      list: 'listCalendars',
      get: 'getCalendar',
      create: 'createCalendar',
      update: 'updateCalendar',
      delete: 'deleteCalendar',
    },
    input: () => Promise.resolve({ ...calendar, name: `City hall ${nextNumber()}` }),
    invalid: { ...calendar, time_zone: 'Denver' },
    change: { name: 'Depot' },
    create: createCalendar,
  },
  {
    path: 'targets',
    names: { list: 'listTargets', get: 'getTarget', create: 'createTarget', update: 'updateTarget', delete: 'deleteTarget' },
    input: async (world) => ({
      request_type_id: await world.app.create.requestType({ organization: await roads(world) }),
      close_hours: 8,
    }),
    invalid: { close_hours: 0 },
    change: { close_hours: 9 },
    create: createTarget,
  },
  {
    path: 'templates',
    names: {
      list: 'listTemplates',
      get: 'getTemplate',
      create: 'createTemplate',
      update: 'updateTemplate',
      delete: 'deleteTemplate',
    },
    input: () => Promise.resolve({ title: `Filled ${nextNumber()}`, texts: { en: 'We filled it.' } }),
    invalid: { title: 'Filled', texts: { es: 7 } },
    change: { title: 'Closed' },
    create: createTemplate,
  },
  {
    path: 'views',
    isOwn: true,
    names: { list: 'listViews', get: 'getView', create: 'createView', update: 'updateView', delete: 'deleteView' },
    input: () => Promise.resolve({ name: `Late ${nextNumber()}`, query: 'late=close' }),
    invalid: { name: 'Late', query: 'late=never' },
    change: { name: 'Late' },
    create: createView,
  },
]

const rowsOf = ({ path, isOwn, names, input, invalid, change, create }: Resource): Row[] => {
  const authors = isOwn ? members : managers
  const list = async (world: PersonaRows) => api(`/organizations/${await roads(world)}/${path}`)
  return [
    {
      operation: names.list,
      what: 'those of an organisation',
      request: async (world) => ['GET', await list(world)],
      expected: 403,
      exceptFor: members(200),
    },
    {
      operation: names.list,
      what: 'those of an unknown organisation',
      request: () => ['GET', api(`/organizations/${UNKNOWN_ID}/${path}`)],
      expected: 404,
      exceptFor: anonymous401,
    },
    {
      operation: names.get,
      what: 'one of an organisation',
      request: async (world) => ['GET', `${await list(world)}/${await create(world)}`],
      expected: 403,
      exceptFor: members(200),
    },
    {
      operation: names.get,
      what: 'an unknown one',
      request: async (world) => ['GET', `${await list(world)}/${UNKNOWN_ID}`],
      expected: 403,
      exceptFor: members(404),
    },
    {
      operation: names.create,
      what: 'one for an organisation',
      request: async (world) => ['POST', await list(world), await input(world)],
      expected: 403,
      exceptFor: authors(201),
    },
    {
      operation: names.create,
      what: 'an invalid one',
      request: async (world) => ['POST', await list(world), invalid],
      expected: path === 'calendars' || isOwn ? 403 : 422,
      exceptFor: authors(422),
    },
    {
      operation: names.create,
      what: 'one for an unknown organisation',
      request: async (world) => ['POST', api(`/organizations/${UNKNOWN_ID}/${path}`), await input(world)],
      expected: 404,
      exceptFor: anonymous401,
    },
    {
      operation: names.update,
      what: 'one of an organisation',
      request: async (world) => ['PUT', `${await list(world)}/${await create(world)}`, change, ANY_VERSION],
      expected: 403,
      exceptFor: managers(200),
    },
    {
      operation: names.update,
      what: 'an unknown one',
      request: async (world) => ['PUT', `${await list(world)}/${UNKNOWN_ID}`, {}, ANY_VERSION],
      expected: 403,
      exceptFor: authors(404),
    },
    {
      operation: names.update,
      what: 'one to an invalid value',
      request: async (world) => ['PUT', `${await list(world)}/${await create(world)}`, invalid, ANY_VERSION],
      expected: path === 'calendars' || isOwn ? 403 : 422,
      exceptFor: authors(422),
    },
    {
      operation: names.update,
      what: 'one that has changed',
      request: async (world) => ['PUT', `${await list(world)}/${await create(world)}`, change, { 'if-match': '"1"' }],
      expected: 403,
      exceptFor: authors(412),
    },
    {
      operation: names.update,
      what: 'one without its ETag',
      request: async (world) => ['PUT', `${await list(world)}/${await create(world)}`, change],
      expected: 403,
      exceptFor: authors(428),
    },
    {
      operation: names.delete,
      what: 'one of an organisation',
      request: async (world) => ['DELETE', `${await list(world)}/${await create(world)}`],
      expected: 403,
      exceptFor: managers(204),
    },
    {
      operation: names.delete,
      what: 'one that has changed',
      request: async (world) => ['DELETE', `${await list(world)}/${await create(world)}`, undefined, { 'if-match': '"1"' }],
      expected: 403,
      exceptFor: authors(412),
    },
    {
      operation: names.delete,
      what: 'one in a version that is no ETag',
      request: async (world) => ['DELETE', `${await list(world)}/${await create(world)}`, undefined, { 'if-match': 'W/"a"' }],
      expected: 403,
      exceptFor: authors(422),
    },
    {
      operation: names.delete,
      what: 'an unknown one',
      request: async (world) => ['DELETE', `${await list(world)}/${UNKNOWN_ID}`],
      expected: 403,
      exceptFor: authors(404),
    },
  ]
}

export const targetRows: readonly Row[] = [
  {
    operation: 'updateOrganization',
    what: 'its settings',
    request: async (world) => ['PUT', api(`/organizations/${await roads(world)}`), { shows_people: false }, ANY_VERSION],
    expected: 403,
    exceptFor: managers(200),
  },
  {
    operation: 'updateOrganization',
    what: 'an unknown one',
    request: () => ['PUT', api(`/organizations/${UNKNOWN_ID}`), { shows_people: false }, ANY_VERSION],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'updateOrganization',
    what: 'one that has changed',
    request: async (world) => ['PUT', api(`/organizations/${await roads(world)}`), { shows_people: false }, { 'if-match': '"1"' }],
    expected: 403,
    exceptFor: managers(412),
  },
  {
    operation: 'updateOrganization',
    what: 'one without its ETag',
    request: async (world) => ['PUT', api(`/organizations/${await roads(world)}`), { shows_people: false }],
    expected: 403,
    exceptFor: managers(428),
  },
  {
    operation: 'updateOrganization',
    what: 'to invalid settings',
    request: async (world) => ['PUT', api(`/organizations/${await roads(world)}`), { shows_people: 'some' }],
    expected: 422,
    exceptFor: anonymous401,
  },
  ...resources.flatMap(rowsOf),
  {
    operation: 'setDailyMail',
    what: 'of an organisation',
    request: async (world) => ['PUT', api(`/organizations/${await roads(world)}/daily_mail`), { daily_mail: false }],
    expected: 403,
    exceptFor: { anonymous: 401, employee: 200 },
  },
  {
    operation: 'setDailyMail',
    what: 'of an unknown organisation',
    request: () => ['PUT', api(`/organizations/${UNKNOWN_ID}/daily_mail`), { daily_mail: false }],
    expected: 404,
    exceptFor: anonymous401,
  },
  {
    operation: 'setDailyMail',
    what: 'to an invalid value',
    request: async (world) => ['PUT', api(`/organizations/${await roads(world)}/daily_mail`), { daily_mail: 'sometimes' }],
    expected: 422,
    exceptFor: anonymous401,
  },
  {
    operation: 'deleteCalendar',
    what: 'one that a target uses',
    request: async (world) => {
      const [organization_id, id] = [await roads(world), await createCalendar(world)]
      const request_type_id = await world.app.create.requestType({ organization: organization_id })
      await world.app.db.prisma.targetRule.create({
        data: { organization_id, request_type_id, close_hours: 8, calendar_id: Number(id) },
      })
      return ['DELETE', api(`/organizations/${organization_id}/calendars/${id}`)]
    },
    expected: 403,
    exceptFor: managers(422),
  },
]
