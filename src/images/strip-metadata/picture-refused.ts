/** Why a file is no picture that is taken, in words that follow the name of a field. */
export class PictureRefused extends Error {
  override name = 'PictureRefused'
}
