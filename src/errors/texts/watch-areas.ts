import type { Messages } from './messages.ts'

export const watchAreas = {
  too_many_watch_areas: {
    en: 'you already watch the maximum of {max, number} areas: delete one that you no longer need',
    es: 'ya vigilas el máximo de {max, number} zonas: elimina una que ya no necesites',
    fr: 'vous surveillez déjà le maximum de {max, number} zones : supprimez-en une dont vous n’avez plus besoin',
  },
  area_missing: {
    en: 'an area is missing: give area; or lat, lng and radius; or place_url; or min_lat, min_lng, max_lat and max_lng',
    es: 'falta una zona: indica area; o lat, lng y radius; o place_url; o min_lat, min_lng, max_lat y max_lng',
    fr: 'il manque une zone : indiquez area ; ou lat, lng et radius ; ou place_url ; ou min_lat, min_lng, max_lat et max_lng',
  },
  one_area_only: {
    en: 'give one area only: area; or lat, lng and radius; or place_url; or min_lat, min_lng, max_lat and max_lng',
    es: 'indica una sola zona: area; o lat, lng y radius; o place_url; o min_lat, min_lng, max_lat y max_lng',
    fr: 'indiquez une seule zone : area ; ou lat, lng et radius ; ou place_url ; ou min_lat, min_lng, max_lat et max_lng',
  },
  token_in_shared_document: {
    en: 'is secret and cannot be part of a style or TileJSON, which are shared: use another area',
    es: 'es secreto y no puede formar parte de un estilo ni de un TileJSON, que se comparten: usa otra zona',
    fr: 'est secret et ne peut pas figurer dans un style ou un TileJSON, qui sont partagés : utilisez une autre zone',
  },
  combined_with_another_area: {
    en: 'cannot be combined with {name}: give one area only',
    es: 'no se puede combinar con {name}: indica una sola zona',
    fr: 'ne peut pas être combiné avec {name} : indiquez une seule zone',
  },
  circle_reaches_pole: {
    en: 'must be smaller here: the circle reaches a pole, and no map shows that',
    es: 'debe ser menor aquí: el círculo llega a un polo, y ningún mapa lo muestra',
    fr: 'doit être plus petit ici : le cercle atteint un pôle, et aucune carte ne le montre',
  },
  box_without_height: {
    en: 'must not be equal to max_lat: the box has no height',
    es: 'no debe ser igual a max_lat: el recuadro no tiene altura',
    fr: 'ne doit pas être égal à max_lat : le rectangle n’a pas de hauteur',
  },
  box_without_width: {
    en: 'must not be equal to max_lng: the box has no width',
    es: 'no debe ser igual a max_lng: el recuadro no tiene anchura',
    fr: 'ne doit pas être égal à max_lng : le rectangle n’a pas de largeur',
  },
  geojson_polygon: {
    en: 'a GeoJSON Polygon or MultiPolygon',
    es: 'un Polygon o MultiPolygon de GeoJSON',
    fr: 'un Polygon ou MultiPolygon GeoJSON',
  },
  polygon_type_wrong: {
    en: 'must be a GeoJSON Polygon or MultiPolygon, not a {type}',
    es: 'debe ser un Polygon o MultiPolygon de GeoJSON, no un {type}',
    fr: 'doit être un Polygon ou MultiPolygon GeoJSON, et non un {type}',
  },
  polygon_without_type: {
    en: 'must be a GeoJSON Polygon or MultiPolygon: its type is neither',
    es: 'debe ser un Polygon o MultiPolygon de GeoJSON: su type no es ninguno de los dos',
    fr: 'doit être un Polygon ou MultiPolygon GeoJSON : son type n’est ni l’un ni l’autre',
  },
  polygon_without_polygons: {
    en: 'must have coordinates with one or more polygons',
    es: 'debe tener coordinates con uno o más polígonos',
    fr: 'doit avoir des coordinates avec un ou plusieurs polygones',
  },
  too_many_rings: {
    en: 'must have at most {max, number} rings',
    es: 'debe tener como mucho {max, number} anillos',
    fr: 'doit avoir au plus {max, number} anneaux',
  },
  too_many_positions: {
    en: 'must have at most {max, number} positions',
    es: 'debe tener {max, number} posiciones como máximo',
    fr: 'doit avoir au plus {max, number} positions',
  },
  polygon_without_rings: {
    en: 'polygon {polygon, number} must be a list of one or more rings',
    es: 'el polígono {polygon, number} debe ser una lista de uno o más anillos',
    fr: 'le polygone {polygon, number} doit être une liste d’un ou plusieurs anneaux',
  },
  ring_not_a_list: {
    en: 'ring {ring, number} of polygon {polygon, number} must be a list of positions',
    es: 'el anillo {ring, number} del polígono {polygon, number} debe ser una lista de posiciones',
    fr: 'l’anneau {ring, number} du polygone {polygon, number} doit être une liste de positions',
  },
  ring_too_short: {
    en: 'ring {ring, number} of polygon {polygon, number} must have four or more positions',
    es: 'el anillo {ring, number} del polígono {polygon, number} debe tener cuatro posiciones o más',
    fr: 'l’anneau {ring, number} du polygone {polygon, number} doit avoir au moins quatre positions',
  },
  too_many_close_edges: {
    en: 'has too many long edges close to each other: make it simpler',
    es: 'tiene demasiados lados largos muy juntos: simplifícala',
    fr: 'a trop de longs côtés proches les uns des autres : simplifiez-la',
  },
  ring_not_closed: {
    en: 'ring {ring, number} of polygon {polygon, number} is not closed: its last position must be its first',
    es: 'el anillo {ring, number} del polígono {polygon, number} no está cerrado: su última posición debe ser la primera',
    fr: 'l’anneau {ring, number} du polygone {polygon, number} n’est pas fermé : sa dernière position doit être la première',
  },
  ring_crosses_antimeridian: {
    en: 'ring {ring, number} of polygon {polygon, number} crosses the antimeridian at position {position, number, ::group-off}: cut the area in two there (RFC 7946, 3.1.9)',
    es: 'el anillo {ring, number} del polígono {polygon, number} cruza el antimeridiano en la posición {position, number}: corta ahí la zona en dos (RFC 7946, 3.1.9)',
    fr: 'l’anneau {ring, number} du polygone {polygon, number} traverse l’antiméridien à la position {position, number} : coupez-y la zone en deux (RFC 7946, 3.1.9)',
  },
  position_not_a_pair: {
    en: 'position {position, number, ::group-off} of ring {ring, number} of polygon {polygon, number} must be [longitude, latitude]',
    es: 'la posición {position, number} del anillo {ring, number} del polígono {polygon, number} debe ser [longitud, latitud]',
    fr: 'la position {position, number} de l’anneau {ring, number} du polygone {polygon, number} doit être [longitude, latitude]',
  },
  longitude_out_of_range: {
    en: 'position {position, number, ::group-off} of ring {ring, number} of polygon {polygon, number} must have a longitude from -180 to 180',
    es: 'la posición {position, number} del anillo {ring, number} del polígono {polygon, number} debe tener una longitud de -180 a 180',
    fr: 'la position {position, number} de l’anneau {ring, number} du polygone {polygon, number} doit avoir une longitude de -180 à 180',
  },
  latitude_out_of_range: {
    en: 'position {position, number, ::group-off} of ring {ring, number} of polygon {polygon, number} must have a latitude from -90 to 90',
    es: 'la posición {position, number} del anillo {ring, number} del polígono {polygon, number} debe tener una latitud de -90 a 90',
    fr: 'la position {position, number} de l’anneau {ring, number} du polygone {polygon, number} doit avoir une latitude de -90 à 90',
  },
  error_at_position: {
    en: '{error}, at longitude and latitude {place}',
    es: '{error}, en la longitud y latitud {place}',
    fr: '{error}, à la longitude et la latitude {place}',
  },
  crosses_itself: { en: 'crosses itself', es: 'se cruza a sí misma', fr: 'se croise elle-même' },
  ring_touches_itself: {
    en: 'has a ring that touches or crosses itself',
    es: 'tiene un anillo que se toca o se cruza a sí mismo',
    fr: 'a un anneau qui se touche ou se croise lui-même',
  },
  hole_outside_of_shell: {
    en: 'has a hole outside of the first ring of its polygon',
    es: 'tiene un hueco fuera del primer anillo de su polígono',
    fr: 'a un trou hors du premier anneau de son polygone',
  },
  hole_in_hole: { en: 'has a hole inside of a hole', es: 'tiene un hueco dentro de otro', fr: 'a un trou dans un autre trou' },
  polygon_in_polygon: {
    en: 'has a polygon inside of another one',
    es: 'tiene un polígono dentro de otro',
    fr: 'a un polygone dans un autre',
  },
  cut_in_two_by_holes: {
    en: 'is cut in two by its holes: make two polygons of it',
    es: 'sus huecos la cortan en dos: haz de ella dos polígonos',
    fr: 'est coupée en deux par ses trous : faites-en deux polygones',
  },
  ring_twice: { en: 'has the same ring twice', es: 'tiene dos veces el mismo anillo', fr: 'a deux fois le même anneau' },
  ring_has_too_few_positions: {
    en: 'has a ring with fewer than three different positions',
    es: 'tiene un anillo con menos de tres posiciones distintas',
    fr: 'a un anneau avec moins de trois positions différentes',
  },
  empty_polygon: { en: 'encloses nothing', es: 'no encierra nada', fr: 'n’enferme rien' },
  polygon_not_valid: {
    en: 'is not a valid polygon: {reason}',
    es: 'no es un polígono válido: {reason}',
    fr: 'n’est pas un polygone valide : {reason}',
  },
} as const satisfies Messages
