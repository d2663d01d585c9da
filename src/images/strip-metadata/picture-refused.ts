import { inLanguage } from '../../errors/texts/in-language.ts'
import type { Text } from '../../errors/texts/text.ts'

/** The reason that a picture is rejected. The message continues the name of a field. */
export class PictureRefused extends Error {
  override name = 'PictureRefused'
  readonly reason: Text

  constructor(reason: Text, options?: ErrorOptions) {
    super(inLanguage(reason, 'en'), options)
    this.reason = reason
  }
}
