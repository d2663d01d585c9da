import type { Language } from '../errors/texts/languages.ts'

export interface FieldTexts {
  readonly optional: string
  readonly choose: string
  readonly hasErrors: string
  readonly correctFields: string
  readonly pictureHint: string
  readonly picturesHint: (max: number) => string
  /** This is shown as an error, because browsers cannot fill in a file field again. */
  readonly choosePictureAgain: string
}

export const fieldTexts: Readonly<Record<Language, FieldTexts>> = {
  en: {
    optional: '(optional)',
    choose: 'Choose …',
    hasErrors: 'The form has errors.',
    correctFields: 'Correct the marked fields.',
    pictureHint: 'PNG, JPEG, GIF, WebP or HEIC, up to 20 MB. The location in its metadata is removed.',
    picturesHint: (max) =>
      `Up to ${max} pictures: PNG, JPEG, GIF, WebP or HEIC, up to 20 MB each. The location in their metadata is removed.`,
    choosePictureAgain: 'choose the picture again: it was not saved with the form',
  },
  es: {
    optional: '(opcional)',
    choose: 'Elige…',
    hasErrors: 'El formulario tiene errores.',
    correctFields: 'Corrige los campos marcados.',
    pictureHint: 'PNG, JPEG, GIF, WebP o HEIC, de hasta 20 MB. Se elimina la ubicación que contengan sus metadatos.',
    picturesHint: (max) =>
      `Hasta ${max} imágenes: PNG, JPEG, GIF, WebP o HEIC, de hasta 20 MB cada una. Se elimina la ubicación que contengan sus metadatos.`,
    choosePictureAgain: 'elige la imagen otra vez: no se guardó con el formulario',
  },
  fr: {
    optional: '(facultatif)',
    choose: 'Choisissez…',
    hasErrors: 'Le formulaire contient des erreurs.',
    correctFields: 'Corrigez les champs marqués.',
    pictureHint: 'PNG, JPEG, GIF, WebP ou HEIC, jusqu’à 20 Mo. La position enregistrée dans ses métadonnées est supprimée.',
    picturesHint: (max) =>
      `Jusqu’à ${max} images : PNG, JPEG, GIF, WebP ou HEIC, jusqu’à 20 Mo chacune. La position enregistrée dans leurs métadonnées est supprimée.`,
    choosePictureAgain: 'choisissez de nouveau l’image : elle n’a pas été enregistrée avec le formulaire',
  },
}
