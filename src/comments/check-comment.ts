import { type CleanPicture, cleanUpload } from '../media/keep-picture.ts'
import { PictureRefused } from '../images/picture.ts'
import { problems } from '../errors/problems.ts'
import { Upload } from '../http/request/upload.ts'
import { YOUTUBE_ALLOWED } from './write-schema.ts'
import { videoUrlOf } from './youtube.ts'

/** Texts by field, as far as they are known before the comment itself is looked at. */
export type CommentFaults = Readonly<Record<string, string | readonly string[]>>

export interface CheckedComment {
  readonly comment: string
  readonly video_url: string | null
  readonly device_id: string | null
  readonly picture: CleanPicture | undefined
}

/**
 * Checks what the schema cannot, and cleans the picture, since only then it is known whether it is one.
 * @param body what the schema has looked at, whether it found faults or not
 * @throws Problem 422, a flat map of all faults at once; 503 where too many pictures wait
 */
export async function checkComment(body: unknown, before: CommentFaults): Promise<CheckedComment> {
  const { comment, youtube_url, image, device_id } = (typeof body === 'object' && body !== null ? body : {}) as Given
  const link = typeof youtube_url === 'string' && youtube_url.trim() !== '' ? youtube_url : null
  const video_url = link === null ? null : videoUrlOf(link)
  const cleaned = image instanceof Upload ? await clean(image) : {}
  const faults = {
    ...(video_url === undefined ? { youtube_url: `must be ${YOUTUBE_ALLOWED}` } : {}),
    ...(cleaned.fault === undefined ? {} : { image: cleaned.fault }),
    ...before,
  }
  if (Object.keys(faults).length > 0 || typeof comment !== 'string' || video_url === undefined) throw problems.invalid(faults)
  return {
    comment: comment.trim(),
    video_url,
    device_id: typeof device_id === 'string' && device_id !== '' ? device_id : null,
    picture: cleaned.picture,
  }
}

type Given = Readonly<Partial<Record<'comment' | 'youtube_url' | 'image' | 'device_id', unknown>>>

async function clean(upload: Upload): Promise<{ picture?: CleanPicture; fault?: string }> {
  try {
    return { picture: await cleanUpload(upload) }
  } catch (error) {
    if (error instanceof PictureRefused) return { fault: error.message }
    throw error
  }
}
