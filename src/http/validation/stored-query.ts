import type { FastifyInstance } from 'fastify'
import type { Static, TObject } from 'typebox'

import { problems } from '../../errors/problems.ts'
import { type Code, text, type Text } from '../../locales/texts.ts'
import { convertTextValues } from './text-values.ts'
import { allowedValues, invalidCharacterError } from './validation.ts'

/** Returns the parameters of a query that was checked when it was stored. */
export const readStoredQuery = <Schema extends TObject>(schema: Schema, query: string): Static<Schema> =>
  convertTextValues(schema, toTexts(query)) as Static<Schema>

function toTexts(query: string): Record<string, string> {
  const parameters = new URLSearchParams(query)
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join()]))
}

/**
 * Returns a function that checks a query which is to be stored by the schema of its list, and returns the parameters. It throws a Problem 422 that
 * names the parameters that are unknown or have values that are not allowed.
 * @param unknown the text for an unknown parameter
 */
export function createQueryCheck<Schema extends TObject>(
  app: FastifyInstance,
  schema: Schema,
  unknown: Extract<Code, 'view_parameter' | 'webhook_parameter'>,
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
    const { properties } = schema
    const names = Object.keys(properties).join(', ')
    const errors = [
      ...error.map(({ instancePath }): [string, Text] => {
        const name = instancePath.split('/')[1] ?? ''
        const allowed = allowedValues(properties[name] ?? {})
        return [name, allowed ? text('must_be', { allowed }) : text('not_allowed')]
      }),
      ...Object.entries(texts).flatMap(([name, given]): [string, Text][] => {
        const reason = Object.hasOwn(properties, name) ? invalidCharacterError(given) : text(unknown, { names })
        return reason ? [[name, reason]] : []
      }),
    ]
    if (value === undefined || errors.length > 0) throw problems.invalid(Object.fromEntries(errors))
    return value
  }
}
