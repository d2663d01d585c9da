import { type CleanImage, cleanUpload } from '../media/store-image.ts'
import { ImageRefused } from '../images/image.ts'
import { type ValidationErrors, problems } from '../errors/problems.ts'
import { Upload } from '../http/request/upload.ts'
import { YOUTUBE_ALLOWED } from './write-schema.ts'
import { parseVideoUrl } from './youtube.ts'
import { text, type Text } from '../errors/texts/text.ts'

export interface CheckedComment {
  readonly comment: string
  readonly video_url: string | null
  readonly device_id: string | null
  readonly image: CleanImage | undefined
}

/**
 * The image is re-encoded, because only decoding shows whether it is valid. The body may have failed the schema.
 * @throws Problem 422 with all errors as a flat map; 503 if too many images are queued
 */
export async function checkComment(body: unknown, knownErrors: ValidationErrors): Promise<CheckedComment> {
  const { comment, youtube_url, image, device_id } = (typeof body === 'object' && body !== null ? body : {}) as CommentInput
  const link = typeof youtube_url === 'string' && youtube_url.trim() !== '' ? youtube_url : null
  const video_url = link === null ? null : parseVideoUrl(link)
  const cleaned = image instanceof Upload ? await cleanImage(image) : {}
  const errors = {
    ...(video_url === undefined ? { youtube_url: text('must_be', { allowed: YOUTUBE_ALLOWED }) } : {}),
    ...(cleaned.error === undefined ? {} : { image: cleaned.error }),
    ...knownErrors,
  }
  if (Object.keys(errors).length > 0 || typeof comment !== 'string' || video_url === undefined) throw problems.invalid(errors)
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
