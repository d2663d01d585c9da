import { text, type Text } from '../locales/texts.ts'
import { type CleanImage, cleanUpload } from '../media/store-image.ts'
import { ImageRefused } from '../images/image.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { Upload } from '../http/request/upload.ts'
import { YOUTUBE_ALLOWED } from './write-schema.ts'
import { parseVideoUrl } from './youtube.ts'

export interface CheckedComment {
  readonly comment: string
  readonly video_url: string | null
  readonly device_id: string | null
  readonly image: CleanImage | undefined
}

/**
 * The image is re-encoded, because only decoding shows whether it is valid. The body may have failed the schema.
 * A comment with another error costs no decoding.
 * @throws Problem 422 with all errors of the fields as a flat map, or else with that of the image; 429 or 503 as `cleanUpload` does
 */
export async function checkComment(body: unknown, knownErrors: ValidationErrors): Promise<CheckedComment> {
  const { comment, youtube_url, image, device_id } = (typeof body === 'object' && body !== null ? body : {}) as CommentInput
  const link = typeof youtube_url === 'string' && youtube_url.trim() !== '' ? youtube_url : null
  const video_url = link === null ? null : parseVideoUrl(link)
  const errors = {
    ...(video_url === undefined ? { youtube_url: text('must_be', { allowed: YOUTUBE_ALLOWED }) } : {}),
    ...knownErrors,
  }
  if (Object.keys(errors).length > 0 || typeof comment !== 'string' || video_url === undefined) throw problems.invalid(errors)
  const cleaned = image instanceof Upload ? await cleanImage(image) : {}
  if (cleaned.error !== undefined) throw problems.invalid({ image: cleaned.error })
  return {
    comment: comment.trim(),
    video_url,
    device_id: typeof device_id === 'string' && device_id !== '' ? device_id : null,
    image: cleaned.image,
  }
}

type CommentInput = Readonly<Partial<Record<'comment' | 'youtube_url' | 'image' | 'device_id', unknown>>>

async function cleanImage(upload: Upload): Promise<{ image?: CleanImage; error?: Text }> {
  try {
    return { image: await cleanUpload(upload) }
  } catch (error) {
    if (error instanceof ImageRefused) return { error: error.reason }
    throw error
  }
}
