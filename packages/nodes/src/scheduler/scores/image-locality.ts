import type { Pod } from "@pilothouse/api/core/v1"
import { highestScore } from "./normalise.ts"
import type { Score } from "./score.ts"

/** Bytes: images that are smaller together are pulled in no time, and beyond the most, for each container, one is as bad as the other. */
const least = 23 * 1024 * 1024
const maxForOne = 1000 * 1024 * 1024

/** Better where the pod's images are already; one that few nodes have counts less, or all of its pods would go there. */
export const imageLocality: Score = ({ pod: { pod }, nodes }, fitting) => {
  if (fitting.every(({ images }) => images.size === 0)) return undefined
  const containers = imagesOf(pod)
  // Images that are volumes are pulled too, but do not raise what is most: as upstream.
  const wanted = [...containers, ...volumeImagesOf(pod)]
  const all = nodes.list().length
  const spread = wanted.map((image) => nodes.nodesWith(image) / all)
  const most = maxForOne * containers.length
  return fitting.map(({ images }) => {
    const bytes = wanted.reduce((sum, image, at) => sum + Math.trunc((images.get(image) ?? 0) * spread[at]!), 0)
    return Math.trunc((highestScore * (Math.min(Math.max(bytes, least), most) - least)) / (most - least))
  })
}

function imagesOf({ spec }: Pod): readonly string[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image = "" }) => withTag(image))
}

function volumeImagesOf({ spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ image }) => (image === undefined ? [] : [withTag(image.reference ?? "")]))
}

/** "web" is "web:latest"; a colon before the last slash is that of a port. */
function withTag(image: string): string {
  return image.lastIndexOf(":") > image.lastIndexOf("/") ? image : `${image}:latest`
}
