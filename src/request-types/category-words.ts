/** Words by which residents name a problem, without accents, by the category of its request type. A word also matches its longer forms. */
export const categoryWords: Readonly<Record<string, readonly string[]>> = {
  pothole: [
    ...['pothole', 'hole', 'asphalt', 'pavement', 'road surface', 'crater'],
    ...['bache', 'hoyo', 'hueco', 'asfalto', 'pavimento', 'calzada'],
    ...['nid de poule', 'nid', 'trou', 'chaussee', 'goudron', 'bitume'],
  ],
  graffiti: [
    ...['graffiti', 'tag', 'spray', 'vandalism', 'paint', 'sticker'],
    ...['grafiti', 'pintada', 'vandalismo', 'pintura'],
    ...['graffitis', 'vandalisme', 'peinture', 'affiche'],
  ],
  'street-light': [
    ...['light', 'lamp', 'streetlight', 'dark', 'bulb', 'lantern'],
    ...['luz', 'luminaria', 'farola', 'alumbrado', 'lampara', 'foco', 'oscuro', 'poste'],
    ...['lampadaire', 'eclairage', 'lumiere', 'ampoule', 'reverbere', 'sombre'],
  ],
  dumping: [
    ...['dumping', 'dump', 'mattress', 'sofa', 'furniture', 'fridge', 'rubble', 'debris'],
    ...['vertido', 'escombro', 'colchon', 'mueble', 'basural', 'cacharro'],
    ...['depot sauvage', 'depot', 'encombrant', 'matelas', 'meuble', 'gravat'],
  ],
  trash: [
    ...['trash', 'garbage', 'rubbish', 'litter', 'waste', 'bin', 'dumpster', 'recycling'],
    ...['basura', 'residuo', 'contenedor', 'papelera', 'desecho', 'reciclaje'],
    ...['ordure', 'dechet', 'poubelle', 'benne', 'recyclage', 'sale'],
  ],
  sidewalk: [
    ...['sidewalk', 'footpath', 'curb', 'kerb', 'ramp', 'paving', 'slab'],
    ...['acera', 'vereda', 'banqueta', 'anden', 'bordillo', 'rampa', 'losa'],
    ...['trottoir', 'bordure', 'dalle', 'rampe'],
  ],
  tree: [
    ...['tree', 'branch', 'root', 'trunk', 'leaves', 'hedge'],
    ...['arbol', 'rama', 'raiz', 'tronco', 'hoja', 'poda'],
    ...['arbre', 'branche', 'racine', 'tronc', 'feuille', 'haie'],
  ],
  'traffic-signal': [
    ...['traffic light', 'traffic signal', 'signal', 'stoplight', 'crossing light'],
    ...['semaforo', 'senal luminosa'],
    ...['feu rouge', 'feu tricolore', 'feux', 'signalisation'],
  ],
  sign: [
    ...['sign', 'signpost', 'street name', 'stop sign'],
    ...['senal', 'letrero', 'cartel', 'rotulo'],
    ...['panneau', 'plaque', 'pancarte'],
  ],
  water: [
    ...['water', 'leak', 'flood', 'hydrant', 'sewer', 'drain', 'pipe', 'manhole', 'puddle'],
    ...['agua', 'fuga', 'inundacion', 'hidrante', 'alcantarilla', 'drenaje', 'desague', 'tuberia', 'charco'],
    ...['eau', 'fuite', 'inondation', 'egout', 'canalisation', 'tuyau', 'caniveau', 'flaque'],
  ],
  noise: [
    ...['noise', 'noisy', 'loud', 'music', 'barking'],
    ...['ruido', 'musica', 'ladrido', 'alboroto'],
    ...['bruit', 'musique', 'tapage', 'aboiement', 'nuisance sonore'],
  ],
  vehicle: [
    ...['abandoned car', 'abandoned vehicle', 'vehicle', 'car', 'scooter', 'bicycle', 'bike', 'wreck'],
    ...['vehiculo', 'coche', 'auto', 'carro', 'moto', 'bicicleta', 'patineta', 'chatarra'],
    ...['vehicule', 'voiture', 'epave', 'trottinette', 'velo', 'scooter'],
  ],
  parking: [
    ...['parking', 'parked', 'meter', 'blocked driveway', 'double parked'],
    ...['estacionamiento', 'estacionado', 'aparcado', 'aparcamiento', 'parquimetro', 'cochera'],
    ...['stationnement', 'gare', 'parcmetre', 'horodateur'],
  ],
  park: [
    ...['park', 'playground', 'bench', 'swing', 'lawn', 'grass', 'fountain'],
    ...['parque', 'juego infantil', 'banco', 'columpio', 'cesped', 'pasto', 'fuente'],
    ...['parc', 'aire de jeux', 'banc', 'balancoire', 'pelouse', 'herbe', 'fontaine'],
  ],
  snow: [
    ...['snow', 'ice', 'icy', 'plow', 'slippery'],
    ...['nieve', 'hielo', 'resbaladizo'],
    ...['neige', 'verglas', 'glace', 'deneigement', 'glissant'],
  ],
}
