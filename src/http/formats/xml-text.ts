/** Replaces characters that XML 1.0 forbids even if escaped: control characters and two noncharacters. */
export function toXmlText(text: string): string {
  return text.toWellFormed().replaceAll(FORBIDDEN, '\u{FFFD}')
}
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu
