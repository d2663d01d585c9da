import type { FastifyInstance } from 'fastify'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Queryable } from '../../database/database.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { text } from '../../locales/texts.ts'
import { WorklistQuery } from '../worklist/query.ts'
import { parseWorklist } from '../worklist/worklist.ts'

const ViewQuery = Type.Omit(WorklistQuery, ['page', 'per_page', 'watcher_token'])

interface Sources {
  readonly reader: Queryable
  readonly areas: AreaLookup
  readonly viewer: Viewer
  readonly organizationId: number
  readonly now: Date
}

/**
 * Returns a function that checks the query of a view by the schema and the rules of the list.
 * It rejects with a Problem 422 that names the parameters with values that are not allowed.
 */
export function createViewCheck(app: FastifyInstance) {
  const compile = app.validatorCompiler
  if (!compile) throw new Error('Views need the validator of the application')
  const validate = compile({ schema: ViewQuery, method: 'GET', url: '', httpPart: 'querystring' }) as (input: unknown) => {
    readonly value?: WorklistQuery
    readonly error?: readonly { readonly instancePath: string }[]
  }
  return async (sources: Sources, query: string): Promise<void> => {
    const parameters = new URLSearchParams(query)
    const names = [...new Set(parameters.keys())]
    const { value, error = [] } = validate(Object.fromEntries(names.map((name) => [name, parameters.getAll(name).join()])))
    const wrong = [
      ...names.filter((name) => !Object.hasOwn(ViewQuery.properties, name)),
      ...error.map(({ instancePath }) => instancePath.split('/')[1] ?? ''),
    ]
    if (!value || wrong.length > 0) throw problems.invalid(Object.fromEntries(wrong.map((name) => [name, text('view_parameter')])))
    await parseWorklist(sources, value, { page: 1, perPage: 1 })
  }
}
