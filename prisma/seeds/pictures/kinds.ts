export type PictureKind =
  | 'pothole'
  | 'sidewalk'
  | 'flooded-gutter'
  | 'graffiti'
  | 'dumping'
  | 'overflowing-bin'
  | 'street-light'
  | 'sign'
  | 'traffic-signal'
  | 'fallen-tree'
  | 'abandoned-car'
  | 'abandoned-bicycle'

/** Different pictures of each kind. */
const variants: Readonly<Record<PictureKind, number>> = {
  pothole: 5,
  sidewalk: 3,
  'flooded-gutter': 2,
  graffiti: 5,
  dumping: 4,
  'overflowing-bin': 3,
  'street-light': 3,
  sign: 3,
  'traffic-signal': 2,
  'fallen-tree': 3,
  'abandoned-car': 3,
  'abandoned-bicycle': 2,
}

export interface Picture {
  readonly kind: PictureKind
  readonly variant: number
  /** The same spot without the problem. */
  readonly isSolved?: true
}

/** The kinds whose spot can be drawn without the problem. */
export const solvedKinds: ReadonlySet<PictureKind> = new Set([
  'pothole',
  'graffiti',
  'dumping',
  'fallen-tree',
  'abandoned-car',
  'abandoned-bicycle',
])

/** In pixels: the width that lists and cards use, so that one file serves both. */
export const PICTURE_SIZE = { width: 640, height: 480 } as const

export const pictures: readonly Picture[] = (Object.keys(variants) as PictureKind[]).flatMap((kind) =>
  Array.from({ length: variants[kind] }, (_, variant) => variant).flatMap((variant): Picture[] => [
    { kind, variant },
    ...(solvedKinds.has(kind) ? [{ kind, variant, isSolved: true as const }] : []),
  ]),
)

export const countVariants = (kind: PictureKind): number => variants[kind]

export const pictureName = ({ kind, variant, isSolved }: Picture): string => `${kind}-${variant}${isSolved ? '-solved' : ''}`

export const pictureFile = (picture: Picture, size: 'full' | 'square'): string => `${pictureName(picture)}-${size}.jpg`
