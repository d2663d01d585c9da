import { text, type Text } from '../../locales/texts.ts'
import { Problem, problems } from '../../errors/problems.ts'

/** The fields of GeoReport v2 by the fields of the API, whose features check them. */
const names: Readonly<Record<string, string>> = {
  address: 'address_string',
  lng: 'long',
  point: 'lat',
  request_type_id: 'service_code',
  summary: 'description',
  issue_image: 'media',
  image: 'media',
  comment: 'description',
}

const reasons: Readonly<Record<string, Text>> = { outside_of_request_type: text('outside_of_service') }

/** Runs a feature. @throws Problem of the feature, whose errors have the names of GeoReport v2, or any error of `work` */
export async function withFieldNames<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Problem && error.body.kind !== 'message' && error.status === 422 ? rename(error.body.fields) : error
  }
}

/** The key `base` stands for an error that concerns no single field. */
function rename({ base, ...fields }: Readonly<Record<string, Text | readonly Text[]>>): Problem {
  const [general] = [base ?? []].flat()
  if (general) return problems.badRequest(general)
  const renamed: Record<string, Text[]> = {}
  for (const [field, errors] of Object.entries(fields)) {
    const name = /^(\d+|offensive)$/.test(field)
      ? `attribute[${field}]`
      : Object.hasOwn(names, field)
        ? (names[field] ?? field)
        : field
    const texts = [errors]
      .flat()
      .map((error: Text) => (Object.hasOwn(reasons, error.code) ? (reasons[error.code] ?? error) : error))
    const known = (renamed[name] ??= [])
    known.push(...texts.filter(({ code }) => !known.some((other) => other.code === code)))
  }
  return problems.invalid(renamed)
}
