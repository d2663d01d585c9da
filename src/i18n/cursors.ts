import type { Texts } from './texts.ts'

/** Of the cursors that lists give beside `page`. */
export const cursors = {
  'the cursor of a next_page_url, as it was given: follow that address, or leave cursor out': {
    es: 'el cursor de un next_page_url, tal como se dio: sigue esa dirección u omite cursor',
    fr: 'le curseur d’un next_page_url, tel qu’il a été donné : suivez cette adresse, ou omettez cursor',
  },
} satisfies Texts
