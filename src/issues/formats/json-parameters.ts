import { problems, type ValidationErrors } from '../../errors/problems.ts'
import { text } from '../../errors/texts/text.ts'

/** @throws Problem 422 for parameters that select parts of the JSON response, which no other content type has */
export function refuseJsonParameters(query: { readonly details?: boolean; readonly 'fields[issue]'?: unknown }): void {
  const errors: ValidationErrors = {
    ...(query.details ? { details: text('only_in_json') } : {}),
    ...(query['fields[issue]'] === undefined ? {} : { 'fields[issue]': text('only_in_json') }),
  }
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
}
