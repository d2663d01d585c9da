/** Each Cyrillic or Greek letter is followed by its Latin look-alike. */
const lookAlikes = new Map(
  [
    ...[
      'аa',
      'вb',
      'гr',
      'еe',
      'ёe',
      'зz',
      'иu',
      'кk',
      'мm',
      'нh',
      'оo',
      'пn',
      'рp',
      'сc',
      'тt',
      'уy',
      'хx',
      'ьb',
      'ѕs',
      'іi',
      'їi',
    ],
    ...[
      'јj',
      'ԁd',
      'ԍg',
      'һh',
      'ӏl',
      'ԛq',
      'ԝw',
      'ѵv',
      'АA',
      'ВB',
      'ЕE',
      'ЁE',
      'ЗZ',
      'КK',
      'МM',
      'НH',
      'ОO',
      'РP',
      'СC',
      'ТT',
      'УY',
    ],
    ...['ХX', 'ЅS', 'ІI', 'ЇI', 'ЈJ', 'ӀI', 'ԌG', 'ԚQ', 'ԜW', 'ѴV'],
    ...[
      'αa',
      'βb',
      'γy',
      'εe',
      'ζz',
      'ηn',
      'ιi',
      'κk',
      'μu',
      'νv',
      'οo',
      'ρp',
      'σo',
      'ςs',
      'τt',
      'υu',
      'χx',
      'ωw',
      'ϲc',
      'ϳj',
      'ΑA',
    ],
    ...['ΒB', 'ΕE', 'ΖZ', 'ΗH', 'ΙI', 'ΚK', 'ΜM', 'ΝN', 'ΟO', 'ΡP', 'ΤT', 'ΥY', 'ΧX', 'ϹC'],
  ].map((pair) => [...pair] as [string, string]),
)

const WORD = /[\p{L}\p{M}]+/gu
const LATIN = /\p{Script=Latin}/u
const OTHER = /[\p{Script=Cyrillic}\p{Script=Greek}]/u

/**
 * Normalizes with NFKC, and removes invisible characters and strokes through Latin letters. Look-alikes become Latin only in words
 * of mixed alphabets.
 */
export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .replaceAll(/(?<=\p{Script=Latin})\p{Mn}+/gu, '')
    .replaceAll(WORD, (word) =>
      LATIN.test(word) && OTHER.test(word) ? [...word].map((letter) => lookAlikes.get(letter) ?? letter).join('') : word,
    )
}
