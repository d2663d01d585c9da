import type { Category } from '../../../src/issues/categories.ts'

interface SpanishPhrases {
  readonly summaries: readonly string[]
  readonly descriptions: readonly string[]
}

/** Some reports are in Spanish, so that the demo has a second locale and words with accents. */
export const spanishPhrases: Partial<Record<Category, SpanishPhrases>> = {
  pothole: {
    summaries: ['Bache grande en {street}', 'Baches en {street} cerca de {cross}', 'Hoyo peligroso en {street}'],
    descriptions: [
      'El hoyo mide como {2-3} pies y los carros se dañan. Por favor arréglenlo pronto.',
      'Ya van {2-4} semanas así. De noche no se ve y los ciclistas se caen.',
    ],
  },
  trash: {
    summaries: ['Basura sin recoger en {street}', 'Bote de basura lleno en {street} y {cross}'],
    descriptions: ['No pasó el camión esta semana y ya huele muy mal.', 'La basura está en toda la banqueta y hay ratas.'],
  },
  dumping: {
    summaries: ['Colchón tirado en {street}', 'Tiran muebles y llantas en {street}'],
    descriptions: ['Alguien dejó {4-12} bolsas y un sofá en la esquina.', 'Cada fin de semana tiran más cosas aquí.'],
  },
  'street-light': {
    summaries: ['Luz de la calle apagada en {street}', 'Calle muy oscura en {hood}'],
    descriptions: ['La lámpara lleva {2-5} semanas sin funcionar y da miedo caminar de noche.'],
  },
  graffiti: {
    summaries: ['Grafiti en la pared, {street}'],
    descriptions: ['Pintaron toda la pared del negocio. ¿Pueden ayudar a limpiarla?'],
  },
  tree: {
    summaries: ['Árbol caído en {street}', 'Ramas peligrosas en {street}'],
    descriptions: ['Una rama grande cayó con el viento y bloquea la banqueta.'],
  },
  water: {
    summaries: ['Fuga de agua en {street}', 'La calle se inunda en {street} y {cross}'],
    descriptions: ['Sale agua del pavimento desde hace {2-6} días.', 'El desagüe está tapado con hojas.'],
  },
}

export const spanishClosingComments: readonly string[] = [
  'Listo, gracias por avisarnos.',
  'El trabajo está terminado. Gracias por su reporte.',
]
