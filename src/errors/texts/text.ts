import type { catalogue } from './catalogue.ts'

export type Code = keyof typeof catalogue

/** What people are told, in no language yet: a message of the catalogue, and what is filled into it. `inLanguage` writes it. */
export interface Text {
  readonly code: Code
  readonly parameters: Readonly<Record<string, Parameter>>
}

type Parameter = string | number | Text

/** By the names in the braces of an ICU message. With a format, such as `{max, number}`, a number is needed; branches of a plural are no names. */
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

/** A text of the catalogue: `text('too_many_words', { max: 10 })`. A text within it is a parameter. */
export function text<C extends Code>(
  code: C,
  ...[parameters]: keyof ParametersOf<English<C>> extends never ? [] : [parameters: ParametersOf<English<C>>]
): Text {
  return { code, parameters: parameters ?? {} }
}
