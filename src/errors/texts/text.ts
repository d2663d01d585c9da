import type { catalogue } from './catalogue.ts'

export type Code = keyof typeof catalogue

/** A message of the catalogue with its parameters, independent of a language. `inLanguage` formats it. */
export interface Text {
  readonly code: Code
  readonly parameters: Readonly<Record<string, Parameter>>
}

type Parameter = string | number | Text

/** Parameters in the braces of an ICU message. A format such as `{max, number}` requires a number; branches of a plural are no parameters. */
type ParametersOf<Message extends string> = Message extends `${string}{${infer Argument}}${infer Rest}`
  ? ParameterOf<Argument> & ParametersOf<Rest>
  : unknown

type ParameterOf<Argument extends string> = Argument extends `{${string}`
  ? unknown
  : Argument extends `${infer Name}, ${string}`
    ? { readonly [N in Name]: number }
    : Argument extends `${string} ${string}`
      ? unknown
      : { readonly [N in Argument]: Parameter }

type English<C extends Code> = (typeof catalogue)[C]['en']

/**
 * Returns a text of the catalogue: `text('too_many_words', { max: 10 })`. A parameter can be a text. The `x-allowed` of a schema is one
 * (http/schema/fields.ts).
 */
export function text<C extends Code>(
  code: C,
  ...[parameters]: keyof ParametersOf<English<C>> extends never ? [] : [parameters: ParametersOf<English<C>>]
): Text {
  return { code, parameters: parameters ?? {} }
}
