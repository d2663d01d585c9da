import type { FastifyInstance } from 'fastify'
import type { Static, TObject } from 'typebox'

import { problems } from '../../errors/problems.ts'
import { type Code, text } from '../../locales/texts.ts'
import { convertTextValues } from './text-values.ts'

/** Returns the parameters of a query that was checked when it was stored. */
export const readStoredQuery = <Schema extends TObject>(schema: Schema, query: string): Static<Schema> =>
  convertTextValues(schema, toTexts(query)) as Static<Schema>

function toTexts(query: string): Record<string, string> {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join()]))
}

/**
 * Returns a function that checks a query which is to be stored by the schema of its list, and returns the parameters. It throws a Problem 422 that
 * names the parameters with values that are not allowed.
 * @param wrong the text for such a parameter
 */
export function createQueryCheck<Schema extends TObject>(
  app: FastifyInstance,
  schema: Schema,
  wrong: Extract<Code, 'view_parameter' | 'webhook_parameter'>,
) {
  const compile = app.validatorCompiler
  if (!compile) throw new Error('Stored queries need the validator of the application')
  const validate = compile({ schema, method: 'GET', url: '', httpPart: 'querystring' }) as (input: unknown) => {
    readonly value?: Static<Schema>
    readonly error?: readonly { readonly instancePath: string }[]
  }
  return (query: string): Static<Schema> => {
    const texts = toTexts(query)
    const { value, error = [] } = validate(texts)
    const names = [
      ...Object.keys(texts).filter((name) => !Object.hasOwn(schema.properties, name)),
      ...error.map(({ instancePath }) => instancePath.split('/')[1] ?? ''),
    ]
    if (value === undefined || names.length > 0)
      throw problems.invalid(Object.fromEntries(names.map((name) => [name, text(wrong)])))
    return value
  }
}
