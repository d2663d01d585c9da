import type { Language } from '../../errors/texts/languages.ts'

/** The comment of a picture without a text, and the notice about a comment that waits for approval. */
export const commentTexts: Readonly<Record<Language, Readonly<Record<'picture' | 'pending', string>>>> = {
  en: { picture: 'A picture was added.', pending: 'The comment is published once a moderator has approved it.' },
  es: { picture: 'Se añadió una imagen.', pending: 'El comentario se publicará cuando un moderador lo apruebe.' },
  fr: { picture: 'Une image a été ajoutée.', pending: 'Le commentaire sera publié dès qu’un modérateur l’aura approuvé.' },
}
