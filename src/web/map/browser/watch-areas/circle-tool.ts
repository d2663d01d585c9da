import { circleValues } from './area-fields.ts'
import { toCorner } from './polygon-tool.ts'
import { showCircle } from './draw-layers.ts'
import type { Corner } from './polygon.ts'
import type { DrawContext, Tool } from './tool.ts'

/** Sets the centre of a circle, whose radius is that of the slider. */
export function createCircleTool({ maplibre, map, form, config, fields, isByCross, say }: DrawContext): Tool {
  const { texts, radii } = config
  const slider = form.querySelector('#draw-radius') as HTMLInputElement
  const output = form.querySelector('[data-radius]') as HTMLElement
  const element = Object.assign(document.createElement('div'), { className: 'map-centre' })
  const marker = new maplibre.Marker({ element, draggable: true })
  let centre: Corner | undefined
  /** The radius of a stored circle may lie between those of the slider. */
  let metres = radius().metres

  function radius() {
    return radii[Number(slider.value)] ?? { metres: 500, name: '' }
  }

  function showRadius(): void {
    const name = radius().metres === metres ? radius().name : `${metres} m`
    output.textContent = name
    slider.setAttribute('aria-valuetext', name)
    if (centre) say(texts.circle.replace('{radius}', name))
    else say(isByCross ? texts.circleByCross : texts.circleByClick)
  }

  function show(): void {
    showCircle(map, centre, metres)
    if (centre) marker.setLngLat(centre).addTo(map)
    else marker.remove()
    showRadius()
  }

  function change(next: Corner | undefined): void {
    centre = next
    fields.set(centre ? circleValues(centre, metres) : {})
    show()
  }

  slider.addEventListener('input', () => {
    metres = radius().metres
    change(centre)
  })
  marker.on('drag', () => change(toCorner(marker.getLngLat())))

  return {
    start() {
      const { lat, lng, radius: stored } = fields.values
      centre = lat !== undefined && lng !== undefined ? { lat: Number(lat), lng: Number(lng) } : undefined
      if (centre && stored !== undefined && Number(stored) > 0) {
        metres = Number(stored)
        const index = radii.findIndex((one) => one.metres >= metres)
        slider.value = String(index < 0 ? radii.length - 1 : index)
      }
      show()
    },
    show,
    leave() {
      marker.remove()
      centre = undefined
    },
    click: (lngLat) => change(toCorner(lngLat)),
    act(name) {
      if (name === 'centre') change(toCorner(map.getCenter()))
      if (name === 'undo') change(undefined)
    },
  }
}
