import { encode } from 'uqr'

import { html, type SafeHtml } from './template.ts'

/** Modules of white around the code. Paper is white, too. */
const BORDER = 2

/** Returns a QR code (ISO/IEC 18004) as SVG. A run of modules is one shape, so the code of a short link has 2 kB. */
export function qrCode(text: string, label: string): SafeHtml {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER })
  const path = data.map((row, y) => rowPath(row, y)).join('')
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`
}

function rowPath(row: readonly boolean[], y: number): string {
  const starts = row.flatMap((isDark, x) => (isDark && !row[x - 1] ? [x] : []))
  return starts
    .map((x) => {
      const end = row.indexOf(false, x)
      const length = (end === -1 ? row.length : end) - x
      return `M${x} ${y}h${length}v1h-${length}z`
    })
    .join('')
}
