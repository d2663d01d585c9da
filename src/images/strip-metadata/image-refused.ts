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

/** Limit of a colour profile: cameras write some kilobytes, print profiles have up to 3 MB. */
export const COLOUR_PROFILE_MAX = 4 * 1024 * 1024
/** Limit of the EXIF data, which is copied for the orientation. */
export const EXIF_MAX = 65_536
