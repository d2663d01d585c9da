import type { Language } from '../../errors/texts/languages.ts'

export interface RedactionTexts {
  readonly title: string
  readonly description: string
  readonly explanation: string
  /** The script shows this text. */
  readonly drawing: string
  readonly picture: string
  readonly boxes: string
  readonly unit: string
  readonly box: (number: number) => string
  readonly addBox: string
  readonly moreBoxes: string
  readonly fields: Readonly<Record<'x' | 'y' | 'width' | 'height', string>>
  readonly submit: string
  readonly back: string
  readonly errors: string
  /** Texts of the page of a picture that is gone. */
  readonly gone: { readonly title: string; readonly hint: string; readonly toIssue: string; readonly toItem: string }
}

export const redactionTexts: Readonly<Record<Language, RedactionTexts>> = {
  en: {
    title: 'Redact a picture',
    description: 'Cover parts of a picture for good.',
    explanation:
      'Cover faces, number plates or whatever else must not be public. The boxes become a part of the picture: they cannot be removed, and no copy of the old picture stays. Its old address stops working.',
    drawing: 'Draw boxes on the picture. Arrow keys move the selected box, with Shift they change its size, and Delete removes it.',
    picture: 'The picture to redact',
    boxes: 'Boxes',
    unit: 'All numbers are per cent of the picture, from its top left corner. Leave rows empty that you do not need.',
    box: (number) => `Box ${number}`,
    addBox: 'Add a box',
    moreBoxes: 'More boxes',
    fields: { x: 'From the left', y: 'From the top', width: 'Width', height: 'Height' },
    submit: 'Redact for good',
    back: 'Back without a change',
    errors: 'The form has errors.',
    gone: {
      title: 'This picture is no longer there',
      hint: 'It was redacted, replaced or removed in the meantime. This page changed nothing.',
      toIssue: 'Look at the issue',
      toItem: 'Back to the review',
    },
  },
  es: {
    title: 'Tapar partes de una imagen',
    description: 'Tapa partes de una imagen para siempre.',
    explanation:
      'Tapa caras, matrículas o cualquier otra cosa que no deba ser pública. Los recuadros pasan a formar parte de la imagen: nadie puede quitarlos y no queda ninguna copia de la imagen anterior. Su dirección anterior deja de funcionar.',
    drawing:
      'Dibuja recuadros sobre la imagen. Las flechas mueven el recuadro seleccionado, con Mayús cambian su tamaño y Supr lo elimina.',
    picture: 'La imagen que se va a tapar',
    boxes: 'Recuadros',
    unit: 'Todos los números son porcentajes de la imagen, desde su esquina superior izquierda. Deja vacías las filas que no necesites.',
    box: (number) => `Recuadro ${number}`,
    addBox: 'Añadir un recuadro',
    moreBoxes: 'Más recuadros',
    fields: { x: 'Desde la izquierda', y: 'Desde arriba', width: 'Ancho', height: 'Alto' },
    submit: 'Tapar para siempre',
    back: 'Volver sin cambiar nada',
    errors: 'El formulario tiene errores.',
    gone: {
      title: 'Esta imagen ya no está',
      hint: 'Entretanto se tapó, se sustituyó o se eliminó. Esta página no ha cambiado nada.',
      toIssue: 'Ver el reporte',
      toItem: 'Volver a la revisión',
    },
  },
  fr: {
    title: 'Masquer des parties d’une image',
    description: 'Masquez définitivement des parties d’une image.',
    explanation:
      'Masquez les visages, les plaques d’immatriculation et tout ce qui ne doit pas être public. Les cadres deviennent une partie de l’image : personne ne peut les enlever et aucune copie de l’ancienne image ne reste. Son ancienne adresse ne fonctionne plus.',
    drawing:
      'Dessinez des cadres sur l’image. Les flèches déplacent le cadre choisi, avec Maj elles changent sa taille, et Suppr l’enlève.',
    picture: 'L’image à masquer',
    boxes: 'Cadres',
    unit: 'Tous les nombres sont des pourcentages de l’image, à partir de son coin supérieur gauche. Laissez vides les lignes inutiles.',
    box: (number) => `Cadre ${number}`,
    addBox: 'Ajouter un cadre',
    moreBoxes: 'Plus de cadres',
    fields: { x: 'Depuis la gauche', y: 'Depuis le haut', width: 'Largeur', height: 'Hauteur' },
    submit: 'Masquer définitivement',
    back: 'Revenir sans rien changer',
    errors: 'Le formulaire contient des erreurs.',
    gone: {
      title: 'Cette image n’est plus là',
      hint: 'Elle a été masquée, remplacée ou supprimée entre-temps. Cette page n’a rien modifié.',
      toIssue: 'Voir le signalement',
      toItem: 'Revenir à la relecture',
    },
  },
}
