import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'

import { createDraw } from './draw.ts'
import { pictureFile, pictureName, pictures } from './kinds.ts'

const SQUARE = { width: 100, height: 100 }

/** `node prisma/seeds/pictures/draw-files.ts FOLDER NAME…` writes the named pictures in two sizes. */
const [folder = '.', ...names] = process.argv.slice(2)
const draw = await createDraw()
for (const picture of pictures.filter((one) => names.includes(pictureName(one)))) {
  const drawn = await draw(picture)
  await writeFile(join(folder, pictureFile(picture, 'full')), drawn)
  await sharp(drawn)
    .resize(SQUARE)
    .jpeg({ quality: 88 })
    .toFile(join(folder, pictureFile(picture, 'square')))
}
