import { inLanguage, text, type Text } from '../../locales/texts.ts'

/** The reason that an image is rejected. The message continues the name of a field. */
export class ImageRefused extends Error {
  override name = 'ImageRefused'
  readonly reason: Text

  constructor(reason: Text, options?: ErrorOptions) {
    super(inLanguage(reason, 'en'), options)
    this.reason = reason
  }
}

export const damagedImage = (cause?: unknown) => new ImageRefused(text('picture_damaged'), { cause })
